import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import './quiet-queue.js';

describe('an idle connection', () => {
  it('K11 has no timer of its own, and gets one when a request must wait', () => {
    jest.useFakeTimers();
    const queue = new RequestQueue({ clientId: 'c', broker: 'b', logger: {}, requestTimeout: 1_000 });
    queue.checkPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
    Object.assign(queue, { pending: [{}], throttledUntil: Date.now() + 1_000 });
    queue.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(1);
    queue.destroy();
    jest.useRealTimers();
  });
});
