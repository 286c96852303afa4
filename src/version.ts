/** The version of this program; a test holds it against package.json, so that the server reads no file for it. */
export const version = '0.1.0';
