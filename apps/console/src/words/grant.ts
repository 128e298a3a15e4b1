import { count } from './names.js';
import { lasting } from './time.js';

/** How much of one argument a grant leaves open. */
export const LOOSE = ['exact', 'up-to', 'any'] as const;
export type Loose = (typeof LOOSE)[number];
export type Choices = Readonly<Record<string, Loose>>;
type Args = Readonly<Record<string, unknown>>;
export type Schema = Readonly<Record<string, unknown>>;

/** What a grant covers of one argument. */
export interface Cover {
  readonly name: string;
  readonly says: 'exactly' | 'at most' | 'any';
  /** JSON of the value, or the kind of values. */
  readonly value: string;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  array: 'list',
  object: 'object',
};

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Which choices an argument has; one alone is none. */
export function choicesOf(value: unknown): readonly Loose[] {
  const type = typeOf(value);
  if (type === 'null') return ['exact'];
  return type === 'number' && (value as number) > 0 ? LOOSE : ['exact', 'any'];
}

/** How a choice is called for this value. */
export const choiceName = (choice: Loose, value: unknown): string =>
  choice === 'exact' ? 'Exactly this' : choice === 'up-to' ? `0 to ${String(value)}` : `Any ${kinds[typeOf(value)] ?? 'value'}`;

export const choiceOf = (choices: Choices, name: string, value: unknown): Loose => {
  const choice = Object.hasOwn(choices, name) ? choices[name]! : 'exact';
  return choicesOf(value).includes(choice) ? choice : 'exact';
};

export const isExact = (args: Args, choices: Choices): boolean =>
  Object.entries(args).every(([name, value]) => choiceOf(choices, name, value) === 'exact');

/** The JSON Schema that allows just this: each argument is there, as it was chosen, and no other one. */
export function patternOf(args: Args, choices: Choices): Schema {
  const names = Object.keys(args);
  const of = (name: string, value: unknown): Schema => {
    const choice = choiceOf(choices, name, value);
    if (choice === 'exact') return { const: value };
    return choice === 'up-to' ? { type: 'number', minimum: 0, maximum: value } : { type: typeOf(value) };
  };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, of(name, value)])),
    required: names,
    minProperties: names.length,
    additionalProperties: false,
  };
}

/** What a pattern of that form covers, argument by argument; undefined for one that says more than this page can put in words. */
export function coversOf(pattern: Schema): readonly Cover[] | undefined {
  const { type, properties, required, minProperties, additionalProperties, ...others } = pattern;
  const schemas = Object.entries(Object(properties) as Readonly<Record<string, Schema>>);
  const isWhole = Array.isArray(required) && required.length === schemas.length && schemas.every(([name]) => required.includes(name));
  const isPlain = type === 'object' && additionalProperties === false && isWhole && Object.keys(others).length === 0;
  if (!isPlain || (minProperties !== undefined && minProperties !== schemas.length)) return undefined;
  const covers = schemas.map(([name, schema]) => coverOf(name, schema));
  return covers.every((cover) => cover !== undefined) ? covers : undefined;
}

function coverOf(name: string, schema: Schema): Cover | undefined {
  const fields = Object.keys(schema).sort().join();
  if (fields === 'const') return { name, says: 'exactly', value: JSON.stringify(schema.const) };
  if (fields === 'maximum,minimum,type' && schema.type === 'number' && schema.minimum === 0)
    return { name, says: 'at most', value: `0 to ${String(schema.maximum)}` };
  const kind = fields === 'type' && typeof schema.type === 'string' ? kinds[schema.type] : undefined;
  return kind === undefined ? undefined : { name, says: 'any', value: kind };
}

/** What the host answers that a grant lets through beside the call it was made from: names of arguments. */
export interface Looseness {
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly further: boolean;
}

const listed = (names: readonly string[], none: string): string => (names.length === 0 ? none : names.join(', '));

/** As one sentence. */
export const loosenessWords = ({ changed, missing, further }: Looseness): string =>
  `${listed(changed, 'none')} may have another value, ${listed(missing, 'none')} may be missing, and ` +
  `${further ? 'others may be added' : 'no other may be added'}.`;

const HOUR = 3_600_000;
/** For how long a grant may be given on the page. */
export const PERIODS = [HOUR, 8 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR] as const;
export const DEFAULT_PERIOD = 24 * HOUR;
export const periodName = (ms: number): string => (ms === HOUR ? '1 hour' : ms < 24 * HOUR ? lasting(ms) : count(ms / (24 * HOUR), 'day'));

/** What somebody has in mind, as the page keeps it. */
export interface GrantDraft {
  readonly choices: Choices;
  readonly count: string;
  readonly period: number;
}

const MAX_COUNT = 1000;
/** Of a pattern's text: what a host takes. */
const MAX_CHARS = 16_384;

/** Why a grant cannot be given like this; undefined for one that can. */
export function draftProblem(args: Args, { choices, count: many }: GrantDraft): string | undefined {
  if (JSON.stringify(patternOf(args, choices)).length > MAX_CHARS)
    return 'These arguments are too long for a grant: approve such calls one by one.';
  const isCount = /^\d{1,4}$/.test(many) && Number(many) >= 1 && Number(many) <= MAX_COUNT;
  return isCount ? undefined : `How many is a whole number from 1 to ${MAX_COUNT}.`;
}

/** Reads what was kept; whatever cannot be read is as at first. */
export function readGrantDraft(kept: string): GrantDraft {
  const first: GrantDraft = { choices: {}, count: '5', period: DEFAULT_PERIOD };
  try {
    const { choices, count: many, period } = Object(JSON.parse(kept)) as Partial<GrantDraft>;
    return {
      choices: Object(choices ?? {}) as Choices,
      count: typeof many === 'string' ? many : first.count,
      period: PERIODS.find((one) => one === period) ?? first.period,
    };
  } catch {
    return first;
  }
}
