import { randomBytes, randomUUID } from 'node:crypto';
import type { KeyOwner, KeyStore, WrappedKey } from '../key-store.js';

export interface KeyStoreFixture {
  /** Another connection to the same keys, as a second host has one. */
  open(): Promise<KeyStore>;
  dispose(): Promise<void>;
}

const session = (): KeyOwner => ({ kind: 'session', ref: randomBytes(16).toString('hex') });
const rowFor = (owner: KeyOwner): WrappedKey => ({ keyId: randomUUID(), owner, wrapped: randomBytes(60) });

/** What every key store must do; each adapter's spec calls it with a way to open one. */
export function keyStoreContract(name: string, create: () => Promise<KeyStoreFixture>): void {
  describe(`${name} keeps the key store contract`, () => {
    let fixture: KeyStoreFixture;
    let one: KeyStore;
    let other: KeyStore;

    beforeEach(async () => {
      fixture = await create();
      [one, other] = [await fixture.open(), await fixture.open()];
    });
    afterEach(async () => {
      await one.close();
      await other.close();
      await fixture.dispose();
    });

    it('X1 gives two hosts that insert for one owner the same stored key', async () => {
      const owner = session();
      const answers = await Promise.all([one, other].map((store) => store.insertIfAbsent([rowFor(owner)])));
      expect(answers[0]).toHaveLength(1);
      expect(answers[1]).toEqual(answers[0]);
      expect(await other.byId(answers[0]![0]!.keyId)).toEqual(answers[0]![0]);
    });

    it('X1 answers with the standing rows in the order given, old and new ones mixed', async () => {
      const old = rowFor(session());
      await one.insertIfAbsent([old]);
      const fresh = [rowFor(session()), rowFor({ ...old.owner, kind: 'person' })];
      const answer = await other.insertIfAbsent([fresh[0]!, rowFor(old.owner), fresh[1]!]);
      expect(answer).toEqual([fresh[0], old, fresh[1]]);
    });

    it('X1 finds what was inserted after the store was opened again', async () => {
      const row = rowFor(session());
      await one.insertIfAbsent([row]);
      await one.close();
      await other.close();
      [one, other] = [await fixture.open(), await fixture.open()];
      expect(await one.byOwner([session(), row.owner])).toEqual([row]);
    });

    it('X1 has no answer for an owner or an id it never saw', async () => {
      expect(await one.byOwner([session()])).toEqual([]);
      expect(await one.byOwner([])).toEqual([]);
      expect(await one.byId(randomUUID())).toBeUndefined();
    });

    it('X2 destroys one owner and no other, and tells whether there was a key', async () => {
      const [erased, kept] = [rowFor(session()), rowFor(session())];
      await one.insertIfAbsent([erased, kept]);
      expect(await other.destroy(erased.owner)).toBe(true);
      expect(await one.destroy(erased.owner)).toBe(false);
      expect(await one.byId(erased.keyId)).toBeUndefined();
      expect(await one.byOwner([erased.owner, kept.owner])).toEqual([kept]);
      expect([await one.knows(erased.keyId), await one.knows(randomUUID())]).toEqual([true, false]);
    });

    it('X2 gives a session that was erased no other key, whether it had one or not', async () => {
      const [erased, never] = [rowFor(session()), session()];
      await one.insertIfAbsent([erased]);
      await other.destroy(erased.owner);
      expect(await other.destroy(never)).toBe(false);
      expect(await one.insertIfAbsent([rowFor(erased.owner), rowFor(never)])).toEqual([]);
    });

    it('X2 and X5 tell which keys were erased, and learn of those that were erased elsewhere', async () => {
      const rows = [rowFor(session()), rowFor(session()), rowFor({ kind: 'person', ref: randomUUID() })];
      await one.insertIfAbsent(rows);
      await one.destroy(rows[0]!.owner);
      await one.destroy(rows[2]!.owner);
      const erased = [...(await other.erased('', 1)), ...(await other.erased((await other.erased('', 1))[0]!.keyId, 9))];
      expect(erased.map(({ keyId }) => keyId)).toEqual([rows[0]!.keyId, rows[2]!.keyId].sort());
      const elsewhere = rowFor(session());
      await one.learnErased([{ keyId: elsewhere.keyId, ...elsewhere.owner }]);
      expect([await other.knows(elsewhere.keyId), await other.byId(elsewhere.keyId)]).toEqual([true, undefined]);
      expect(await other.insertIfAbsent([rowFor(elsewhere.owner)])).toEqual([]);
    });

    it('X1 reads every key in pages and wraps anew those that are as they were read', async () => {
      const rows = Array.from({ length: 5 }, () => rowFor(session())).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
      await one.insertIfAbsent(rows);
      const first = await one.page('', 3);
      expect([...first, ...(await one.page(first[2]!.keyId, 3))]).toEqual(rows);
      const [anew, erased] = [randomBytes(60), randomBytes(60)];
      await other.destroy(rows[1]!.owner);
      await one.rewrap([
        { keyId: rows[0]!.keyId, from: rows[0]!.wrapped, to: anew },
        { keyId: rows[1]!.keyId, from: rows[1]!.wrapped, to: erased },
        { keyId: rows[2]!.keyId, from: anew, to: erased },
      ]);
      expect((await other.page('', 9)).map(({ wrapped }) => wrapped)).toEqual([anew, ...rows.slice(2).map(({ wrapped }) => wrapped)]);
      expect(await other.count()).toBe(4);
    });
  });
}
