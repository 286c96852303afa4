/** How far the failure callback of a run is, as every listing spells it (workflows.md 4.3). */

export const callbackStates = [
  'CALLBACK_INPROGRESS',
  'CALLBACK_SUCCESS',
  'CALLBACK_FAIL',
  'CALLBACK_CANCELED',
] as const;

/** One of those words; a run without a failure callback has none. */
export type CallbackState = (typeof callbackStates)[number];
