/**
 * Whether every acknowledgement in a trace came after the fdatasync, or the synced write, of what
 * it says: the rule "nothing is answered, shown or done before it is durable", checked on system
 * calls alone.
 */
import type { SystemCall } from '../support/program/strace.js';

/** Something that the server was seen to acknowledge. */
export interface Acknowledgement {
  /** Text that its answer carries and no other answer does. */
  readonly said: string;
  /** Text that a segment file, or the write-ahead log, holds once it is true. */
  readonly stored: string;
}

const isWriteToSocket = ({ name, target }: SystemCall) =>
  /^(write|writev|sendto|sendmsg)$/.test(name) && target.startsWith('socket:');
/** To the file of a segment, or to the write-ahead log that groups of several logs share. */
const isWriteToLog = ({ name, target }: SystemCall) =>
  /^pwrite/.test(name) && /(\.log|\/WAL)$/.test(target);

/** The text as strace shows it inside a string. */
const shown = (text: string) => JSON.stringify(text).slice(1, -1);

/** Every acknowledgement that is not proven durable when it is sent, one line each. */
export function unproven(
  calls: readonly SystemCall[],
  acknowledgements: readonly Acknowledgement[],
): string[] {
  return acknowledgements.flatMap(({ said, stored }) => {
    const answers = calls.filter(
      (call) => isWriteToSocket(call) && call.text.includes(shown(said)),
    );
    // The first reader counts: the publisher, or the endpoint that the message is sent to.
    const [first] = answers;
    if (first === undefined || !answers.some(({ text }) => text.includes('HTTP/1.1 20'))) {
      return [`no answer says ${said}`];
    }
    const isDurable = calls.some(
      (write) =>
        isWriteToLog(write) &&
        isComplete(write) &&
        write.text.includes(shown(stored)) &&
        (isSynced(calls, write, first.enteredAt) ||
          (isSyncedWrite(calls, write) && write.returnedAt < first.enteredAt)),
    );
    return isDurable ? [] : [`${said} was acknowledged before ${stored} was durable`];
  });
}

/** A short write may have left the text out. */
function isComplete({ text, result }: SystemCall): boolean {
  return result === Number(/, (\d+), \d+$/.exec(text)?.[1]);
}

function isSynced(calls: readonly SystemCall[], write: SystemCall, before: number): boolean {
  return calls.some(
    (sync) =>
      (sync.name === 'fdatasync' || sync.name === 'fsync') &&
      sync.target === write.target &&
      sync.result === 0 &&
      sync.enteredAt > write.returnedAt &&
      sync.returnedAt < before,
  );
}

/** Whether it went through a descriptor of which every write is durable when it returns. */
function isSyncedWrite(calls: readonly SystemCall[], write: SystemCall): boolean {
  const descriptor = Number.parseInt(write.text, 10);
  const opening = calls.findLast(
    ({ name, result, returnedAt }) =>
      name === 'openat' && result === descriptor && returnedAt < write.enteredAt,
  );
  return opening !== undefined && /\|O_DSYNC[|,)]?/.test(opening.text);
}
