/** Sends one object as JSON, made as the client takes it, since its bodies may be long. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type InFlight, type ReadAllowance } from './in-flight.js';
import type { Piece } from './paced-body.js';
import { StoredText } from './stored-text.js';

/**
 * Size of one piece: larger pieces would let few clients hold the whole budget, and smaller ones
 * would read more often.
 */
const pieceBytes = 512 * 1024;

/**
 * Answers with the object that `read` returns. If it is longer than one piece, `read` is called
 * again for each piece, so that a waiting client holds no body in memory; its stored texts must be
 * the same each time.
 */
export function sendObject(
  inFlight: InFlight,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<object>,
): Promise<FastifyReply> {
  reply.header('content-type', 'application/json; charset=utf-8');
  const pieces = new ObjectPieces(read, inFlight.roomFor(request, reply));
  return inFlight.answer(request, reply, pieces, true);
}

/** Writes an object, continuing where the previous piece ended. */
class ObjectPieces implements AsyncIterator<Piece, undefined> {
  /** The JSON around the stored texts as it was first, since it may change during the answer. */
  private outline: readonly string[] = [];
  private lengths: readonly number[] = [];
  /** The next text, and the next byte in it. */
  private index = 0;
  private byte = 0;

  constructor(
    private readonly read: () => Promise<object>,
    private readonly room: ReadAllowance,
  ) {}

  async next(): Promise<IteratorYieldResult<Piece>> {
    await this.room.wait();
    return { done: false, value: this.pieceOf(this.textsOf(await this.read())) };
  }

  private pieceOf(texts: readonly StoredText[]): Piece {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const text = texts[this.index];
      if (this.byte === 0) chunks.push(Buffer.from(this.outline[this.index] ?? ''));
      if (text === undefined) return { chunks, isLast: true };
      while (this.byte < text.length) {
        const { chunk, end } = text.slice(this.byte);
        chunks.push(chunk);
        length += chunk.length;
        this.byte = end;
        if (length >= pieceBytes) return { chunks, isLast: false };
      }
      this.index += 1;
      this.byte = 0;
    }
  }

  private textsOf(object: object): readonly StoredText[] {
    const outline = [''];
    const texts: StoredText[] = [];
    for (const part of partsOf(object)) {
      if (part instanceof StoredText) {
        texts.push(part);
        outline.push('');
      } else outline.push(`${outline.pop()}${part}`);
    }
    const lengths = texts.map(({ length }) => length);
    if (this.outline.length === 0) {
      this.outline = outline;
      this.lengths = lengths;
    } else if (String(lengths) !== String(this.lengths)) {
      throw new Error('a stored text has changed while it was taken');
    }
    return texts;
  }
}

/** The JSON of a value, with stored texts left as they are; arrays contain none. */
function* partsOf(value: unknown): Generator<string | StoredText> {
  if (value instanceof StoredText) {
    yield '"';
    yield value;
    yield '"';
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    let separator = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* partsOf(field);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}
