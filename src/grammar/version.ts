/** The version of this program; a test holds it against package.json, so that no file is read. */
export const version = '0.1.0';
