/** What is known of a request before its body, and of an answer beside its bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The head of a request, whether Node's parser read it or the lane of sockets. */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMinor' | 'socket'
>;

/** How far an answer has come. */
export interface AnswerState
  extends Pick<ServerResponse, 'closed' | 'headersSent' | 'writableEnded' | 'writableFinished'> {
  /** The request that it answers; `complete` where all of its body has come. */
  destroy(): unknown;
  readonly req: RequestHead & Pick<IncomingMessage, 'complete'>;
  /** Calls when it has gone out, or its connection is closed. */
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}
