//! Threads that wait for work: started once, woken for each call, without a heap call in between.

use crate::error::{Error, Result, THREAD_NAME};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Iterations of waiting before a thread sleeps: about the time of waking it.
const SPINS: usize = 4000;

/// A task: the number of the thread, and the index.
type Task<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// The work of one call: `task(thread, i)` for every i below `count`.
#[derive(Clone, Copy)]
struct Job {
    task: *const Task<'static>,
    count: usize,
}

// SAFETY: the task is Sync, and `Pool::run` keeps it alive while any thread holds the job.
unsafe impl Send for Job {}

struct State {
    job: Option<Job>,
    stop: bool,
    /// Number of threads that must be woken for a call.
    sleeping: usize,
    /// True if the caller must be woken at the end of the call.
    caller_sleeps: bool,
}

/// Next index of a thread's part that no thread has taken. It has its cache line, and the neighbour that is
/// fetched with it, to itself: the threads count at the same time.
#[repr(align(128))]
struct Next(AtomicUsize);

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    done: Condvar,
    /// Number of calls so far; a thread takes part in each at most once. Changes under the lock of `state`.
    call: AtomicUsize,
    /// Number of threads that hold the present job; changes under the lock of `state`.
    active: AtomicUsize,
    next: Vec<Next>,
}

impl Shared {
    /// No code that can panic runs under the lock, so a poisoned lock is usable.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Start of a thread's part: the same in every call of the same count, so that the data of a task stay in
    /// the cache of one core.
    fn part(&self, thread: usize, count: usize) -> usize {
        count * thread / self.next.len()
    }

    /// Works on the thread's own part, then on the rest of the others' parts.
    fn work(&self, thread: usize, count: usize, task: &Task<'_>) {
        let threads = self.next.len();
        for part in (thread..threads).chain(0..thread) {
            let end = self.part(part + 1, count);
            loop {
                let i = self.next[part].0.fetch_add(1, Ordering::Relaxed);
                if i >= end {
                    break;
                }
                task(thread, i);
            }
        }
    }
}

/// Leaves the job on drop, also if the task panics.
struct Leave<'a>(&'a Shared);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let state = self.0.lock();
        if self.0.active.fetch_sub(1, Ordering::Release) == 1 && state.caller_sleeps {
            self.0.done.notify_one();
        }
    }
}

/// Ends the call on drop: no thread may take the job any more, and it waits for those that have it.
struct Close<'a>(&'a Shared);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.lock().job = None;
        let is_done = || self.0.active.load(Ordering::Acquire) == 0;
        if spin_until(is_done) {
            return;
        }
        let mut state = self.0.lock();
        state.caller_sleeps = true;
        while !is_done() {
            state = wait(&self.0.done, state);
        }
        state.caller_sleeps = false;
    }
}

fn wait<'a>(c: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    c.wait(state).unwrap_or_else(PoisonError::into_inner)
}

/// True if it becomes ready within the iterations of waiting.
fn spin_until(ready: impl Fn() -> bool) -> bool {
    for _ in 0..SPINS {
        if ready() {
            return true;
        }
        std::hint::spin_loop();
    }
    false
}

fn serve(shared: &Shared, thread: usize) {
    let mut seen = 0;
    loop {
        spin_until(|| shared.call.load(Ordering::Acquire) != seen);
        let job = {
            let mut state = shared.lock();
            loop {
                if state.stop {
                    return;
                }
                let call = shared.call.load(Ordering::Acquire);
                if call != seen {
                    seen = call;
                    if let Some(job) = state.job {
                        shared.active.fetch_add(1, Ordering::Relaxed);
                        break job;
                    }
                }
                state.sleeping += 1;
                state = wait(&shared.wake, state);
                state.sleeping -= 1;
            }
        };
        let _leave = Leave(shared);
        // SAFETY: `Pool::run` returns only after `active` is zero again.
        shared.work(thread, job.count, unsafe { &*job.task });
    }
}

/// A fixed number of threads, the caller's among them.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// `threads` ≥ 1; the caller's thread counts, so one fewer is started.
    ///
    /// # Errors
    /// `Capacity` if the system refuses a thread.
    pub fn new(threads: usize) -> Result<Pool> {
        let mut pool = Pool {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    job: None,
                    stop: false,
                    sleeping: 0,
                    caller_sleeps: false,
                }),
                wake: Condvar::new(),
                done: Condvar::new(),
                call: AtomicUsize::new(0),
                active: AtomicUsize::new(0),
                next: (0..threads).map(|_| Next(AtomicUsize::new(0))).collect(),
            }),
            workers: Vec::with_capacity(threads.saturating_sub(1)),
        };
        for k in 1..threads {
            let shared = pool.shared.clone();
            let worker = std::thread::Builder::new()
                .name(THREAD_NAME.into())
                .spawn(move || serve(&shared, k))
                .map_err(|e| {
                    Error::capacity(format!(
                        "threads: the system refuses thread {k} of {threads}: {e}"
                    ))
                })?;
            pool.workers.push(worker);
        }
        Ok(pool)
    }

    /// Threads that take part in a call, the caller's among them.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `task(thread, i)` once for every i below `count`, each on whichever thread is free, and returns
    /// when all are done. A thread has one number, below [`Pool::threads`]. The task should not panic: a
    /// worker that does is lost.
    pub fn run(&mut self, count: usize, task: &Task<'_>) {
        if self.workers.is_empty() || count <= 1 {
            (0..count).for_each(|i| task(0, i));
            return;
        }
        let shared = &*self.shared;
        // SAFETY: only the lifetime changes; `Close` ends all use of the task before it ends.
        let task_ptr: *const Task<'static> =
            unsafe { std::mem::transmute::<&Task<'_>, &'static Task<'static>>(task) };
        let close = Close(shared);
        for (thread, next) in shared.next.iter().enumerate() {
            next.0.store(shared.part(thread, count), Ordering::Relaxed);
        }
        let sleeping = {
            let mut state = shared.lock();
            state.job = Some(Job {
                task: task_ptr,
                count,
            });
            shared.call.fetch_add(1, Ordering::Release);
            state.sleeping
        };
        // Wake without the lock, for which the woken thread would have to wait.
        if sleeping > 0 {
            shared.wake.notify_all();
        }
        shared.work(0, count, task);
        drop(close);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        // Threads that spin look again.
        self.shared.call.fetch_add(1, Ordering::Release);
        self.shared.wake.notify_all();
        for w in self.workers.drain(..) {
            // A worker that panicked has nothing left to clean up.
            let _ = w.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    fn counts(pool: &mut Pool, n: usize) -> Vec<usize> {
        let seen: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
        let threads = pool.threads();
        pool.run(n, &|thread, i| {
            assert!(thread < threads);
            seen[i].fetch_add(1, Ordering::Relaxed);
        });
        seen.iter().map(|x| x.load(Ordering::Relaxed)).collect()
    }

    #[test]
    fn every_index_once_in_every_call() {
        for threads in [1, 2, 5] {
            let mut pool = Pool::new(threads).unwrap();
            assert_eq!(pool.threads(), threads);
            for n in [0, 1, 2, 3, 100] {
                for _ in 0..200 {
                    assert_eq!(counts(&mut pool, n), vec![1; n]);
                }
            }
        }
    }

    #[test]
    fn a_panicking_task_neither_hangs_nor_poisons() {
        let mut pool = Pool::new(3).unwrap();
        for _ in 0..5 {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                // Unwinds without the report of a panic.
                pool.run(50, &|_, i| {
                    if i % 7 == 3 {
                        resume_unwind(Box::new(i))
                    }
                })
            }));
            assert_eq!(counts(&mut pool, 20), vec![1; 20]);
        }
    }

    #[test]
    fn dropping_joins_the_threads() {
        let pool = Pool::new(4).unwrap();
        let shared = Arc::downgrade(&pool.shared);
        drop(pool);
        assert!(shared.upgrade().is_none());
    }
}
