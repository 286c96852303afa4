/** The states of a run's failure callback, as every listing spells them (workflows.md 4.3). */

export const callbackStates = [
  'CALLBACK_INPROGRESS',
  'CALLBACK_SUCCESS',
  'CALLBACK_FAIL',
  'CALLBACK_CANCELED',
] as const;

/** One of these states; a run without a failure callback has none. */
export type CallbackState = (typeof callbackStates)[number];
