//! Cache for data that a higher-level module derives from a model once (such as its collision geometry).

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Storage for one value of a type that this module does not know. It is made when it is first
/// requested. Later copies share it.
#[derive(Clone, Default)]
pub struct Derived(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Derived {
    /// The value. All callers must request the same type; a caller with another type gets a value of its
    /// own.
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
