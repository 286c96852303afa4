/** What is known of a request before its body, and of an answer beside its bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The head of a request, whether Node's parser read it or the lane of sockets. */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersionMinor' | 'socket'
>;

/** How far an answer has come. */
export interface AnswerState
  extends Pick<
    ServerResponse,
    'closed' | 'headersSent' | 'writableEnded' | 'writableFinished' | 'destroy'
  > {
  /** The request that it answers; `complete` where all of its body has come. */
  readonly req: RequestHead & Pick<IncomingMessage, 'complete'>;
  /** Calls once it has gone out, or its connection is closed. */
  once(event: 'close', listener: () => void): unknown;
}
