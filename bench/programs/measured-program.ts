/** The other side of `MeasuredProcess`: how a program of the bench says it is ready and answers. */

/**
 * Answers every question of the bench but those about its own use, and keeps the process alive for
 * the next one.
 */
export function answer<Question extends object>(reply: (question: Question) => unknown): void {
  process.on('message', async (question: unknown) => {
    if (typeof question === 'object') process.send?.(await reply(question as Question));
  });
  process.channel?.ref();
}

/** What the bench waits for. */
export function ready(where: string): void {
  process.stdout.write(`running at ${where}\n`);
}

/** The one argument of a program of the bench: JSON, written by the scenario that started it. */
export function settings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings;
}
