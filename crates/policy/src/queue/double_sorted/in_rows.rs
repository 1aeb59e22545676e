//! What the four designs of the source have in common as queues.

/// Methods of [`Queue`](crate::Queue) for a queue that keeps keys in `keys` and tasks in `rows`, where
/// its own `place` finds them. A task that is rotated stays at that place.
macro_rules! in_rows {
    () => {
        fn capacity(&self) -> usize {
            self.rows.capacity()
        }

        fn remove(&mut self, task: TaskId) -> Option<K> {
            let key = self.key(task)?;
            self.take(task);
            Some(key)
        }

        #[inline]
        fn take(&mut self, task: TaskId) {
            self.rows.take(task, self.place(task));
        }

        #[inline]
        fn rotate(&mut self, task: TaskId) {
            self.rows.rotate(task, self.place(task));
        }

        #[inline]
        fn first(&self) -> Option<TaskId> {
            self.rows.first()
        }

        #[inline]
        fn key(&self, task: TaskId) -> Option<K> {
            let is_queued = self.rows.is_queued(task);
            is_queued.then(|| self.keys[task.index()])
        }

        fn regroup(&mut self, task: TaskId, group: Group) {
            self.rows.regroup(task, group);
        }

        #[inline]
        fn group(&self, task: TaskId) -> Group {
            self.rows.group(task)
        }
    };
}

pub(super) use in_rows;
