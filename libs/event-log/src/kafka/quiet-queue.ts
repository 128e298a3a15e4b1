import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const scheduleCheck = RequestQueue.prototype.scheduleCheckPendingRequests;

/**
 * kafkajs looks every millisecond, on each connection that was ever answered, whether a request waits to be sent; on one that
 * was let go the timer may run for ever. A request that has to wait asks for that look itself, so without one none is needed:
 * an idle host takes a quarter of the processor time.
 */
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheck.call(this);
};
