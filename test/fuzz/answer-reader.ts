/** One answer of a server as it came over the socket. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; of several with one name the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Reads HTTP/1.1 answers out of the bytes of a connection, one after the other; what is no answer is told as `garbage`. */
export class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);

  /** What came and is no whole answer yet: after a 101 the first bytes of the other protocol. */
  get rest(): Buffer {
    return this.#rest;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** The next whole answer, if it is there; interim ones (1xx but 101) are skipped. `isHead`: it has no body, whatever its length says. */
  next(isHead: boolean): Answer | 'garbage' | undefined {
    for (;;) {
      const headEnd = this.#rest.indexOf(HEAD_END);
      if (headEnd === -1) return undefined;
      const [first = '', ...lines] = this.#rest.subarray(0, headEnd).toString('latin1').split('\r\n');
      const [, code] = /^HTTP\/1\.1 (\d{3}) ?/.exec(first) ?? [];
      if (code === undefined) return 'garbage';
      const status = Number(code);
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const after = this.#rest.subarray(headEnd + HEAD_END.length);
      const read = status < 200 || status === 204 || isHead ? { body: '', length: 0 } : bodyOf(after, headers);
      if (!read) return undefined;
      this.#rest = after.subarray(read.length);
      if (status >= 200 || status === 101) return { status, headers, body: read.body };
    }
  }
}

/** A body and how many bytes it took; undefined while it is not whole. */
function bodyOf(bytes: Buffer, headers: Readonly<Record<string, string>>): { body: string; length: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(bytes);
  const length = Number(headers['content-length'] ?? 0);
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length).toString('utf8'), length };
}

function chunkedBody(bytes: Buffer): { body: string; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks).toString('utf8'), length: end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
