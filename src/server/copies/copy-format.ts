/**
 * The format of a data folder sent from one node to another:
 *
 *     head      one line of JSON: the files and their sizes, in order
 *     files     their bytes, one after the other, except for held files
 *     trailer   the signature of all of this, for the request that asked for it
 *
 * The request, in JSON, lists the files that the requesting node holds from an interrupted copy.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

/** The trailer of the answer, which holds the signature. */
export const signatureTrailer = 'stepwell-copy-signature';

/** The largest head in bytes: enough for some hundred thousand files. */
export const headBytesMax = 32 * 1024 * 1024;

/** The only files that are written into a folder, whatever a node sends. */
const fileName = new RegExp(
  `^(${[
    'MANIFEST',
    String.raw`MANIFEST\.copy`,
    'WATERMARKS',
    String.raw`backup\.json`,
    String.raw`logs/\d{10}/(\d{10}\.(log|index|pruned)|CHAIN)`,
    String.raw`snapshots/\d{20}\.snapshot`,
  ].join('|')})$`,
);

const path = z.string().regex(fileName);
const bytes = z.int().nonnegative();

/** How many held files a request lists; in a folder of terabytes, the rest is sent again. */
export const heldFilesMax = 10_000;

/** The request. */
export const askSchema = z.object({
  held: z.array(z.object({ path, bytes, digest: z.string().length(64) })).max(heldFilesMax),
});

/** A request that was read. */
export type CopyAsk = z.output<typeof askSchema>;

/** A file that the requesting node already holds completely; `digest` is its SHA-256 in hex. */
export type HeldFile = CopyAsk['held'][number];

/** The first line of a copy. */
export const headSchema = z.object({
  files: z.array(z.object({ path, bytes, isHeld: z.boolean() })),
});

/** A head that was read. The bytes of a file that `isHeld` are left out. */
export type CopyHead = z.output<typeof headSchema>;

/** Whether a file of a folder is part of a copy; paths are relative to the folder. */
export function goesAlong(path: string): boolean {
  return fileName.test(path);
}

/**
 * The signature of a copy: `digest` is the SHA-256 of all its bytes, `seed` that of the request.
 */
export function signatureOf(secret: string, seed: string, digest: string): string {
  return createHmac('sha256', secret).update(`stepwell-copy 1\n${seed}\n${digest}`).digest('hex');
}

/** Where folders in transit lie within a data folder. */
export function placesIn(dataDirectory: string) {
  return {
    /** A copy made for another node; removed once it is sent. */
    given: join(dataDirectory, 'given'),
    /** A copy that is arriving. */
    fetching: join(dataDirectory, 'fetching'),
    /** Names the node that it comes from. */
    fetchingFrom: join(dataDirectory, 'fetching.from'),
    /** A copy that is complete, verified and durable: the next start puts it in place. */
    fetched: join(dataDirectory, 'fetched'),
  };
}
