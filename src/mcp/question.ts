/** What the tools ask a server, however they reach it. */

/** One `GET`. */
export interface Question {
  /** Path and query: `/v2/messages?count=20`. */
  readonly target: string;
  /** JSON that goes with it, where a route takes what it is asked in a body; null = none. */
  readonly body: string | null;
}

/** What was answered, a refusal too. */
export interface Reply {
  readonly status: number;
  /** JSON, as the server wrote it. */
  readonly text: string;
}

/**
 * Asks as one caller, until `signal` says that the answer is not wanted any more. Rejects with an
 * error whose message may be shown to that caller.
 */
export type Ask = (question: Question, signal?: AbortSignal) => Promise<Reply>;

/** More of an answer is not read: a model has to read it, too. Bytes. */
const replyBytesMax = 256 * 1024;

/** An answer takes no longer than this. Milliseconds. */
export const replyMsMax = 30_000;

/** The answer is longer than `replyBytesMax`. */
class LongReply extends Error {
  constructor() {
    super(
      `the answer has more than ${replyBytesMax} bytes: ask for less, by count, filters or an id`,
    );
  }
}

/** The answer takes longer than it may. */
class SlowReply extends Error {
  constructor(ms: number) {
    super(`the answer took more than ${ms / 1000} s: ask for less, by count, filters or an id`);
  }
}

/** Asks with a bound in time. Throws `SlowReply`, or what `ask` throws. */
export async function inTime<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  signal?: AbortSignal,
  ms = replyMsMax,
): Promise<Answer> {
  const limit = AbortSignal.timeout(ms);
  try {
    return await ask(signal === undefined ? limit : AbortSignal.any([limit, signal]));
  } catch (error) {
    if (limit.aborted) throw new SlowReply(ms);
    throw error;
  }
}

/** Puts an answer together as it comes. Throws `LongReply`. */
export async function wholeReply(status: number, chunks: AsyncIterable<Buffer>): Promise<Reply> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > replyBytesMax) throw new LongReply();
  }
  return { status, text: Buffer.concat(parts).toString() };
}
