/** How long the head of a request may be, and that of a publish in a batch. */

/** Decision 19: workflow clients send every user header twice. */
export const headerCountMax = 256;
/** The most bytes of all names and values together. */
export const headerBytesMax = 64 * 1024;
