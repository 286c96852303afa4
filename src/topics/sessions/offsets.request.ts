/** Parses the bodies of commits and lookups: one item, or an array of items. */
import { z } from 'zod';
import { ok, type Result } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';

const itemsMax = 10_000;

const place = z.object({ topic: z.string(), partition: z.int().min(0) });
const commit = place.extend({ offset: z.int().min(0), processed: z.boolean().optional() });

/** The body of a lookup, for the documentation. */
export const placesSchema = z.union([place, z.array(place)]);
/**
 * The body of a commit; an empty body, which `parseCommits` also accepts, is not part of the
 * schema.
 */
export const commitsSchema = z.union([commit, z.array(commit)]);

/** A list; a single item counts as a list of one. */
export function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  const asList = (value: unknown) => (Array.isArray(value) ? value : [value]);
  return z.preprocess(asList, z.array(item).max(itemsMax));
}

const places = listOf(place);
const commits = listOf(commit);

/** Parses the body of `/committed`. */
export function parsePlaces(body: Buffer): Result<readonly TopicPartition[]> {
  return readJsonBody(body, places);
}

/**
 * Parses the body of `/commit`; an absent body means an empty list. An offset is the next one to
 * read, exactly as sent; with `processed` it is one that has been read (topics.md 4.4). If a
 * partition is named several times, the last item counts.
 */
export function parseCommits(body: Buffer): Result<readonly TopicPosition[]> {
  if (body.length === 0) return ok([]);
  const listed = readJsonBody(body, commits);
  if (!listed.ok) return listed;
  const positions = new Map<string, TopicPosition>();
  for (const { topic, partition, offset, processed } of listed.value) {
    const next = processed === true ? offset + 1 : offset;
    positions.set(`${partition} ${topic}`, { topic, partition, offset: next });
  }
  return ok([...positions.values()]);
}
