/** Queries of the tools to a server, whatever the transport. */

/** One `GET` request. */
export interface Question {
  /** Path and query: `/v2/messages?count=20`. */
  readonly target: string;
  /** A JSON body, for routes that take their parameters in one; null = none. */
  readonly body: string | null;
}

/** The answer, which may be a refusal. */
export interface Reply {
  readonly status: number;
  /** JSON, as the server sent it. */
  readonly text: string;
}

/**
 * Sends a query as one caller, until `signal` aborts. Rejects with an error whose message may be
 * shown to that caller.
 */
export type Ask = (question: Question, signal?: AbortSignal) => Promise<Reply>;

/** How many bytes of an answer are read: a model has to read it, too. */
const replyBytesMax = 256 * 1024;

/** The longest time that an answer may take, in ms. */
export const replyMsMax = 30_000;

/** The answer is longer than `replyBytesMax`. */
class LongReply extends Error {
  constructor() {
    super(
      `the answer has more than ${replyBytesMax} bytes: ask for less, by count, filters or an id`,
    );
  }
}

/** The answer takes longer than allowed. */
class SlowReply extends Error {
  constructor(ms: number) {
    super(`the answer took more than ${ms / 1000} s: ask for less, by count, filters or an id`);
  }
}

/** Sends a query with a time limit. Throws `SlowReply`, or what `ask` throws. */
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

/** Collects an answer as it arrives. Throws `LongReply`. */
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
