/** The published clients print what they throw and what they try again: tests that make them do. */

const levels = ['error', 'warn'] as const;

/** Nothing of it is shown while the tests of the calling file run. */
export function silenceConsole(): void {
  const loud = { error: console.error, warn: console.warn };
  beforeAll(() => {
    for (const level of levels) console[level] = () => undefined;
  });
  afterAll(() => void Object.assign(console, loud));
}
