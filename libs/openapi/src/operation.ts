/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** What one route is for and what it takes; what its handler reads its parameters by. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** As it is served: `/v1/turns/:id`. */
  readonly path: string;
  readonly summary: string;
  /** Who may ask (P1). */
  readonly who: string;
  /** Query parameters, all optional (P7). */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Headers that mean something here beside those of every route. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Schema;
  /** What it answers, by status; refusals of every route are not repeated. */
  readonly answers: Readonly<Record<number, string>>;
  /** The answer's content type where it is not JSON. */
  readonly type?: 'text/plain' | 'text/html' | 'text/javascript' | 'text/event-stream';
}

export type Operations = Readonly<Record<string, Operation>>;

/** The names of an operation's query parameters. */
export const queryOf = <Q extends object>({ query }: { readonly query: Q }) => Object.keys(query) as (keyof Q & string)[];

/** A body with these fields and no others; `required` names those that may not be left out. */
export const fields = (properties: Readonly<Record<string, Schema>>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});
