/** Whether it has ended by now, for a test that must not wait for a promise that may never settle. */
export function watched(promise: Promise<void>) {
  const watch = { ended: false };
  void promise.then(() => {
    watch.ended = true;
  });
  return watch;
}
