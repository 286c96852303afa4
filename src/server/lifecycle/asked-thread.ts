/** A thread that answers one question at a time. */
import { extname } from 'node:path';
import { type TransferListItem, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The entry file of a thread: `<name>.worker` beside the importing file, or beside the bundled
 * program; compiled or not, because the loader does not resolve it.
 */
export function threadEntry(name: string, importer: string): URL {
  return new URL(`./${name}.worker${extname(new URL(importer).pathname)}`, importer);
}

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Once the thread has failed or was ended, every call rejects with the reason. */
export class AskedThread<Question, Answer> {
  private readonly worker: Worker;
  private waiting: Waiting<Answer> | null = null;
  private failure: unknown = null;

  /** `ended`: the reason if it ends without an error. `reasonOf` converts errors of the thread. */
  constructor(
    entry: URL,
    options: WorkerOptions,
    ended: string,
    reasonOf: (error: unknown) => unknown = (error) => error,
  ) {
    this.worker = new Worker(entry, options);
    this.worker.on('message', (answer: Answer) => this.settle()?.resolve(answer));
    this.worker.on('error', (error) => this.fail(reasonOf(error)));
    this.worker.on('exit', () => this.fail(new Error(ended)));
    // The thread must not keep the process alive.
    this.worker.unref();
  }

  /** What the thread says next. */
  answer(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) reject(this.failure);
      else this.waiting = { resolve, reject };
    });
  }

  /** Asks; `handedOver` is transferred instead of copied. */
  ask(question: Question, handedOver: readonly TransferListItem[] = []): Promise<Answer> {
    const answer = this.answer();
    this.worker.postMessage(question, handedOver);
    return answer;
  }

  /** Ends the thread; a call that waits rejects. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private settle(): Waiting<Answer> | null {
    const { waiting } = this;
    this.waiting = null;
    return waiting;
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.settle()?.reject(this.failure);
  }
}
