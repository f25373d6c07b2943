// Parses the replies of Redis (RESP2): strictly and within limits, because anything could listen at REDIS_URL.

/** An error reply. `message` is its first word, such as NOAUTH: the others may quote arguments. */
export class ErrorReply extends Error {}

type Scalar = string | number | null | ErrorReply;
export type Reply = Scalar | Scalar[];

/** The longest reply is a text of 32,768 characters, which takes at most 96 KiB. */
const maxReplyBytes = 131_072;

/** Longer than every line of Redis: a status, a number or an error. */
const maxLineBytes = 4096;

/** A script replies with the count of the rate limit and its remaining time; no command has a longer array. */
const maxItems = 2;

/** Parses the bytes of one connection. Keeps at most one incomplete reply. */
export class ReplyParser {
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;

  /** Returns the replies that this chunk completes. Throws on bytes that answer no command of the gateway. */
  parse(chunk: Buffer): Reply[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#offset = 0;
    const replies: Reply[] = [];
    for (;;) {
      const start = this.#offset;
      const reply = this.#reply();
      if (reply === undefined) {
        this.#bytes = this.#bytes.subarray(start);
        break;
      }
      replies.push(reply);
    }
    if (this.#bytes.length > maxReplyBytes) throw new Error('reply too long');
    return replies;
  }

  /** Undefined if the reply is incomplete. */
  #reply(): Reply | undefined {
    if (this.#bytes[this.#offset] !== '*'.charCodeAt(0)) return this.#scalar();
    const length = this.#length(maxItems);
    if (length === undefined || length === null) return length;
    const items: Scalar[] = [];
    while (items.length < length) {
      const item = this.#scalar();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }

  #scalar(): Scalar | undefined {
    switch (String.fromCharCode(this.#bytes[this.#offset] ?? 0)) {
      case '$':
        return this.#text();
      case '+':
        return this.#line();
      case '-': {
        const line = this.#line();
        return line === undefined ? undefined : new ErrorReply(line.split(' ', 1)[0]);
      }
      case ':': {
        const line = this.#line();
        return line === undefined ? undefined : wholeNumber(line);
      }
      default:
        if (this.#offset === this.#bytes.length) return undefined;
        throw new Error('unexpected reply');
    }
  }

  #text(): string | null | undefined {
    const length = this.#length(maxReplyBytes);
    if (length === undefined || length === null) return length;
    const start = this.#offset;
    const end = start + length;
    if (this.#bytes.length < end + 2) return undefined;
    if (this.#bytes.toString('latin1', end, end + 2) !== '\r\n')
      throw new Error('unexpected reply');
    this.#offset = end + 2;
    return this.#bytes.toString('utf8', start, end);
  }

  /** The length that a text or an array begins with; null stands for a missing value. */
  #length(max: number): number | null | undefined {
    const line = this.#line();
    if (line === undefined) return undefined;
    const length = wholeNumber(line);
    if (length === -1) return null;
    if (length < 0 || length > max) throw new Error('reply too long');
    return length;
  }

  /** The line at the offset, without its first byte and its end. */
  #line(): string | undefined {
    const start = this.#offset + 1;
    const end = this.#bytes.indexOf('\r\n', start);
    if ((end < 0 ? this.#bytes.length : end) - start > maxLineBytes)
      throw new Error('reply too long');
    if (end < 0) return undefined;
    this.#offset = end + 2;
    return this.#bytes.toString('utf8', start, end);
  }
}

function wholeNumber(line: string): number {
  if (!/^-?\d{1,15}$/.test(line)) throw new Error('unexpected reply');
  return Number(line);
}
