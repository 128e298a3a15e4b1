import { fieldNames, oddValues, ops, type Chance } from './oddities.js';

const MORE_THAN_FITS = 1024 * 1024 + 1;

/** A body or frame: mostly JSON with odd fields, sometimes no JSON, sometimes no UTF-8, seldom huge. */
export function oddBody(chance: Chance, sessions: readonly string[]): Buffer {
  const kind = chance.below(100);
  if (kind < 20) return Buffer.from(JSON.stringify({ input: 'hello', ...(chance.in(0.5) && { sessionId: chance.one(sessions) }) }));
  if (kind < 45) return Buffer.from(JSON.stringify(fields(chance, sessions)));
  if (kind < 55) return Buffer.from(repeated(chance));
  if (kind < 75) return broken(chance, Buffer.from(JSON.stringify(fields(chance, sessions))));
  if (kind < 80) return Buffer.from(chance.one(['null', '1', '"x"', '[]', '[{"input":"x"}]', '', ' ', '\ufeff{}', '{}{}']));
  if (kind < 85) return chance.bytes(chance.below(200));
  if (kind < 98)
    return Buffer.from(JSON.stringify({ input: 'x', sessionId: chance.one(sessions), [chance.one(fieldNames)]: chance.one(oddValues) }));
  if (kind < 99) return Buffer.from('['.repeat(1 + chance.below(50_000)));
  return Buffer.from(JSON.stringify({ input: 'x'.repeat(chance.in(0.1) ? MORE_THAN_FITS : chance.below(100_000)) }));
}

function fields(chance: Chance, sessions: readonly string[]): object {
  const made: Record<string, unknown> = {};
  if (chance.in(0.5)) made.op = chance.one(ops);
  else if (chance.in(0.2)) made.decision = chance.one(oddValues);
  if (chance.in(0.6)) made.sessionId = chance.in(0.8) ? chance.one(sessions) : chance.one(oddValues);
  for (let more = chance.below(4); more > 0; more--) made[chance.one(fieldNames)] = chance.one(oddValues);
  return made;
}

const repeated = (chance: Chance): string => {
  const name = JSON.stringify(chance.one(fieldNames));
  const value = () => JSON.stringify(chance.one(oddValues));
  return `{${name}:${value()},"input":"x",${name}:${value()}}`;
};

/** Some bytes of it gone, changed, doubled or new. */
export function broken(chance: Chance, bytes: Buffer): Buffer {
  let made = bytes;
  for (let times = 1 + chance.below(3); times > 0; times--) {
    const at = chance.below(made.length + 1);
    const until = at + chance.below(8);
    const before = made.subarray(0, at);
    switch (chance.below(4)) {
      case 0:
        made = Buffer.concat([before, made.subarray(until)]);
        break;
      case 1:
        made = Buffer.concat([before, chance.bytes(until - at), made.subarray(until)]);
        break;
      case 2:
        made = Buffer.concat([before, made.subarray(at, until), made.subarray(at)]);
        break;
      default:
        made = before;
    }
  }
  return made;
}
