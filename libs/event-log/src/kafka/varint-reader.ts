/** Kafka's zigzag varints and what is measured by them. */
export class VarintReader {
  at = 0;

  constructor(readonly source: Buffer) {}

  varint(): number {
    let byte = this.source[this.at++]!;
    if (byte < 0x80) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = this.source[this.at++]!;
      value += (byte & 0x7f) * scale;
    }
    if (!(value <= Number.MAX_SAFE_INTEGER)) throw new RangeError('a varint reaches past its batch');
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.at += length;
    if (this.at > this.source.length) throw new RangeError('a record reaches past its batch');
    return this.source.subarray(start, this.at);
  }

  text(): string | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    this.at += length;
    if (this.at > this.source.length) throw new RangeError('a record reaches past its batch');
    return this.source.toString('utf8', start, this.at);
  }
}
