import { MOST_DEAD, type NewDelivery, type WebhookStore } from '../webhook-store.js';

const LOG = 'log';
const URL = 'https://example.test/hook';
const event = (name: string, endpoint = 'one'): NewDelivery => ({
  endpoint,
  eventId: `msg_${name}`,
  type: 'consent.waiting',
  requestId: `request ${name}`,
  body: `{"name":"${name}"}`,
});

/** What every store of webhooks must do; each adapter's spec calls it with a way to open one. */
export function webhookStoreContract(name: string, open: () => Promise<WebhookStore>): void {
  describe(`${name} keeps the webhook store contract`, () => {
    let store: WebhookStore;
    let place: number;
    beforeEach(async () => {
      store = await open();
      [place] = (await store.begin(LOG, [10, 20])) as [number, number];
    });
    afterEach(() => store.close());

    async function add(deliveries: readonly NewDelivery[], { backlog = 100, now = 1000 } = {}): Promise<void> {
      expect(await store.enqueue({ logId: LOG, partition: 0, from: place, to: place + 1 }, deliveries, backlog, now)).toBe('moved');
      place += 1;
    }
    const ids = (of: readonly { readonly eventId: string }[]) => of.map(({ eventId }) => eventId);
    const leased = async (limit: number, now: number, until: number) =>
      (await store.lease('one', limit, now, until)).sort((x, y) => (x.eventId < y.eventId ? -1 : 1));
    const dead = async (limit = 100) => (await store.deadLetters({ limit })).map(({ eventId, why }) => [eventId, why]);

    it('N54 begins at the end of a log that it meets for the first time, and goes on from its own places ever after', async () => {
      await add([]);
      expect(await store.begin(LOG, [500, 500])).toEqual([11, 20]);
      expect(await store.begin('another log', [7, 7])).toEqual([7, 7]);
    });

    it('N54 moves a place by compare-and-set: who is late keeps no delivery', async () => {
      await add([event('a')]);
      expect(await store.enqueue({ logId: LOG, partition: 0, from: 10, to: 12 }, [event('b')], 100, 1000)).toBe('stale');
      expect([ids(await store.lease('one', 9, 1000, 2000)), await store.begin(LOG, [])]).toEqual([['msg_a'], [11, 20]]);
    });

    it('N54 keeps one delivery of an event for each endpoint', async () => {
      await add([event('a'), event('a', 'two')]);
      await add([event('a'), event('b')]);
      expect(ids(await leased(9, 1000, 2000))).toEqual(['msg_a', 'msg_b']);
      expect(ids(await store.lease('two', 9, 1000, 2000))).toEqual(['msg_a']);
    });

    it('N54 leases what is due to one at a time, counts the tries, and gives it to the next when a lease is over', async () => {
      await add([event('a'), event('b'), event('c')]);
      const [first] = await store.lease('one', 1, 1000, 2000);
      expect(first).toMatchObject({ eventId: 'msg_a', body: event('a').body, tries: 1, leasedUntil: 2000 });
      expect(ids(await leased(9, 1500, 2500))).toEqual(['msg_b', 'msg_c']);
      expect([await store.lease('one', 9, 1999, 3000), await store.nextDue('one')]).toEqual([[], 2000]);
      expect(await store.lease('one', 9, 2000, 3000)).toMatchObject([{ eventId: 'msg_a', tries: 2 }]);
      await store.retry(first!, {}, 9000);
      await store.bury(first!, {}, 2000);
      await store.release(first!, 2000);
      expect([await dead(), await store.lease('one', 9, 2400, 3000)]).toEqual([[], []]);
    });

    it('N54 retries when told to, forgets what was delivered, and gives back what was not tried', async () => {
      await add([event('a'), event('b'), event('c')]);
      const [a, b, c] = await leased(9, 1000, 2000);
      await store.delivered(a!);
      await store.retry(b!, { status: 503 }, 5000);
      await store.release(c!, 1001);
      expect(await store.lease('one', 9, 4999, 8000)).toMatchObject([{ eventId: 'msg_c', tries: 1 }]);
      expect(await store.lease('one', 9, 5000, 8000)).toMatchObject([{ eventId: 'msg_b', tries: 2 }]);
      expect((await store.counts()).map(({ waiting }) => waiting)).toEqual([2]);
    });

    it('N54 keeps dead letters with how they ended, the newest first and in pages, and makes them due anew', async () => {
      await add([event('a'), event('b'), event('c', 'two')]);
      for (const delivery of await store.lease('one', 9, 1000, 2000)) await store.bury(delivery, { error: 'ECONNREFUSED' }, 1700);
      for (const delivery of await store.lease('two', 9, 1000, 2000)) await store.bury(delivery, { status: 500 }, 1800);
      const all = await store.deadLetters({ limit: 9 });
      expect(all).toMatchObject([
        { eventId: 'msg_c', endpoint: 'two', requestId: 'request c', status: 500, deadAt: 1800, createdAt: 1000, tries: 1, why: 'tries' },
        { eventId: 'msg_b', error: 'ECONNREFUSED' },
        { eventId: 'msg_a' },
      ]);
      expect(ids(await store.deadLetters({ limit: 1, before: all[0]!.deliveryId }))).toEqual(['msg_b']);
      expect(ids(await store.deadLetters({ limit: 9, endpoint: 'one' }))).toEqual(['msg_b', 'msg_a']);
      expect(await store.redeliver({ deliveryId: all[2]!.deliveryId }, 3000)).toEqual(new Map([['one', 1]]));
      expect(await store.redeliver({ deliveryId: all[2]!.deliveryId }, 3000)).toEqual(new Map());
      expect(await store.lease('one', 9, 3000, 4000)).toMatchObject([{ eventId: 'msg_a', tries: 1 }]);
      expect(await store.redeliver({ endpoint: 'one' }, 3000)).toEqual(new Map([['one', 1]]));
      expect(await dead()).toEqual([['msg_c', 'tries']]);
    });

    it('N54 keeps an endpoint that is gone from everything until an operator redelivers, or its address changes', async () => {
      await add([event('a'), event('b'), event('other', 'two')]);
      const [first] = await store.lease('one', 1, 1000, 2000);
      await store.disable(first!, 'one', URL, { status: 410 }, 1500);
      await add([event('c')]);
      expect(await dead()).toEqual(['c', 'b', 'a'].map((of) => [`msg_${of}`, 'gone']));
      expect(await store.counts()).toEqual([
        { endpoint: 'one', waiting: 0, dead: 3, disabledAt: 1500 },
        { endpoint: 'two', waiting: 1, dead: 0 },
      ]);
      await store.moved('one', URL);
      await add([event('d')]);
      expect(await store.nextDue('one')).toBeUndefined();
      await store.redeliver({ endpoint: 'one' }, 3000);
      await add([event('e')]);
      const [again] = await store.lease('one', 9, 3000, 4000);
      expect((await store.counts())[0]).toEqual({ endpoint: 'one', waiting: 5, dead: 0 });
      await store.disable(again!, 'one', URL, { status: 410 }, 3500);
      await store.moved('one', `${URL}/new`);
      await add([event('f')], { now: 3600 });
      expect(ids(await store.lease('one', 9, 3600, 4000))).toEqual(['msg_f']);
    });

    it('N54 bounds what waits for an endpoint: past it come dead letters, of which the oldest go first', async () => {
      await add([event('a'), event('b'), event('c'), event('d', 'two')], { backlog: 2 });
      expect(await dead()).toEqual([['msg_c', 'backlog']]);
      await add(
        Array.from({ length: MOST_DEAD }, (_, i) => event(`more ${i}`)),
        { backlog: 2 },
      );
      expect(await store.counts()).toEqual([
        { endpoint: 'one', waiting: 2, dead: MOST_DEAD },
        { endpoint: 'two', waiting: 1, dead: 0 },
      ]);
      expect((await store.deadLetters({ limit: MOST_DEAD })).at(-1)).toMatchObject({ eventId: 'msg_more 0' });
    });
  });
}
