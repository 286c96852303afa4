/** Limits for the head of a request, and for that of a publish in a batch. */

/** Workflow clients send every header of a user twice, so 128 user headers fit. */
export const headerCountMax = 256;
/** The most bytes of all names and values together. */
export const headerBytesMax = 64 * 1024;
