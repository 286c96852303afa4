/** What can have happened to a URL group; its name is the id. */

/** The stream kind of URL groups. */
export const urlGroupKind = 'url-group';

/** One destination of a group. */
export interface UrlGroupEndpoint {
  readonly url: string;
  /** Unique within its group; null = it has none. */
  readonly name: string | null;
}

/** What a publish needs of a group. */
export interface UrlGroup {
  readonly endpoints: readonly UrlGroupEndpoint[];
  /** Default headers, names and values in turn; a publish's own headers win. */
  readonly headers: readonly string[];
}
