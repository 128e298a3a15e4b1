const TEXT = '"[^"\\\\\\u0000-\\u001f]*"';
const KEPT = '"([^"\\\\\\u0000-\\u001f]*)"';
/** Headers as `encode` makes them, where JSON escapes nothing in them: one match shows that it is JSON and finds what a fold asks for. */
const AS_ENCODED = new RegExp(
  `^\\{"content-type":${TEXT},"ce_specversion":${TEXT},"ce_id":${KEPT},"ce_source":${TEXT},"ce_type":${KEPT},"ce_time":${TEXT},` +
    `"ce_subject":${KEPT},"ce_dataschema":${TEXT}(?:,"ce_traceparent":${TEXT})?\\}$`,
);

/** A record's headers as JSON text: a reader asks all of them for their kind, and hardly any for the rest. */
export class HeadersJson {
  readonly #json: string;
  #all?: Readonly<Record<string, string>>;
  readonly ce_id?: string;
  readonly ce_type?: string;
  readonly ce_subject?: string;

  /** @throws SyntaxError where it is not JSON */
  constructor(json: string) {
    this.#json = json;
    const found = AS_ENCODED.exec(json);
    if (found) {
      this.ce_id = found[1];
      this.ce_type = found[2];
      this.ce_subject = found[3];
    } else {
      const { ce_id, ce_type, ce_subject } = this.all;
      this.ce_id = ce_id;
      this.ce_type = ce_type;
      this.ce_subject = ce_subject;
    }
  }

  get all(): Readonly<Record<string, string>> {
    return (this.#all ??= JSON.parse(this.#json) as Record<string, string>);
  }
}
