/** The version of this program; a test compares it with package.json, so that no file is read. */
export const version = '0.1.0';
