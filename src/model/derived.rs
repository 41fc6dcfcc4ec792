//! What a higher floor makes of a model once.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Room for one value of a type that this floor does not know, made when it is first wanted and shared
/// by all copies that are taken from then on.
#[derive(Clone, Default)]
pub struct Derived(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Derived {
    /// The value. All callers must ask for the same type; another one gets a value of its own.
    pub fn get<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let shared = self.0.get_or_init(|| Arc::new(make())).clone();
        shared.downcast().unwrap_or_else(|_| Arc::new(make()))
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}
