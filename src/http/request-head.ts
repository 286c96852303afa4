/** What is known about a request before its body, and about an answer apart from its bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The head of a request, parsed by Node or by the lane of sockets. */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMinor' | 'socket'
>;

/** The progress of an answer. */
export interface AnswerState
  extends Pick<ServerResponse, 'closed' | 'headersSent' | 'writableEnded' | 'writableFinished'> {
  destroy(): unknown;
  /** The request that is answered; `complete` if its whole body has arrived. */
  readonly req: RequestHead & Pick<IncomingMessage, 'complete'>;
  /** Calls `listener` when the answer was sent or its connection has closed. */
  on(event: 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}
