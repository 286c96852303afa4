/**
 * A data folder on its way from one node to another, which begins with it:
 *
 *     head      one line of JSON: the files and their sizes, in their order
 *     files     their bytes, one after the other, but for those that are held
 *     trailer   the signature of all of this, for the request that asked for it
 *
 * The request tells in JSON which files the node that asks holds of an earlier copy, that was cut.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

/** The trailer of the answer. */
export const signatureTrailer = 'stepwell-copy-signature';

/** Bytes of the head: some hundred thousand files. */
export const headBytesMax = 32 * 1024 * 1024;

/** Nothing else is written into a folder, whatever a node sends. */
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

/** Of a folder of terabytes the rest is sent once more. */
export const heldFilesMax = 10_000;

const askSchema = z.object({
  held: z.array(z.object({ path, bytes, digest: z.string().length(64) })).max(heldFilesMax),
});

/** What is asked for: all but `held`. */
export type CopyAsk = z.output<typeof askSchema>;

/** A file that is whole where it is to come; `digest` is its SHA-256, hex. */
export type HeldFile = CopyAsk['held'][number];

/** What a request asks for; null where it is none. */
export function askIn(json: unknown): CopyAsk | null {
  const parsed = askSchema.safeParse(json);
  return parsed.success ? parsed.data : null;
}

const headSchema = z.object({
  files: z.array(z.object({ path, bytes, isHeld: z.boolean() })),
});

/** The first line of a copy. Bytes of a file that `isHeld` do not follow. */
export type CopyHead = z.output<typeof headSchema>;

/** What a head says; null where it is none. */
export function headIn(json: unknown): CopyHead | null {
  const parsed = headSchema.safeParse(json);
  return parsed.success ? parsed.data : null;
}

/** Whether a file of a folder goes along; paths are within the folder. */
export function goesAlong(path: string): boolean {
  return fileName.test(path);
}

/** Of all bytes, whose SHA-256 is `digest`; `seed` is that of the request. */
export function signatureOf(secret: string, seed: string, digest: string): string {
  return createHmac('sha256', secret).update(`stepwell-copy 1\n${seed}\n${digest}`).digest('hex');
}

/** Where a folder lies within a data folder, before it takes its place. */
export function placesIn(dataDirectory: string) {
  return {
    /** Made for another node; removed when it is there. */
    given: join(dataDirectory, 'given'),
    /** As it comes. */
    fetching: join(dataDirectory, 'fetching'),
    /** Names the node that it comes from. */
    fetchingFrom: join(dataDirectory, 'fetching.from'),
    /** Whole, verified and durable: the next start puts it in place. */
    fetched: join(dataDirectory, 'fetched'),
  };
}
