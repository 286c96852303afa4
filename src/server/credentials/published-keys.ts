/** Signing keys that the published clients contain (`@upstash/qstash`); `dev` signs with them. */
export const publishedKeys = {
  currentSigningKey: 'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r',
  nextSigningKey: 'sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs',
} as const;
