/**
 * HMAC with SHA-256 (RFC 2104), as two digests that are made at once: `createHmac` sets up objects
 * of OpenSSL for each text, which takes twice the time and leaves them to be collected. Pure.
 */
import { hash } from 'node:crypto';

const blockBytes = 64;
const digestBytes = 32;

/** One key, prepared for any number of texts. */
export class HmacKey {
  private readonly inner: Buffer;
  /** The outer block, with room for the digest of what the inner one begins. */
  private readonly outer = Buffer.alloc(blockBytes + digestBytes);

  /** The key is the UTF-8 bytes of `secret`. */
  constructor(readonly secret: string) {
    const key = Buffer.from(secret);
    const block = Buffer.alloc(blockBytes);
    block.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key);
    this.inner = Buffer.from(block.map((byte) => byte ^ 0x36));
    this.outer.set(block.map((byte) => byte ^ 0x5c));
  }

  /** The authentication code of a text in ASCII, as base64url. */
  codeOf(text: string): string {
    const bytes = Buffer.allocUnsafe(blockBytes + text.length);
    bytes.set(this.inner);
    bytes.write(text, blockBytes, 'latin1');
    this.outer.write(hash('sha256', bytes, 'hex'), blockBytes, 'hex');
    return hash('sha256', this.outer, 'base64url');
  }
}
