/** Settings as they are shown: no secret, and what follows from others as what it comes to. */
import { allowedNetworks, type Config, type SettingOrigin, type Source } from './config.js';

/** A setting of the process. */
export interface ShownSetting {
  /** The name of its variable. */
  readonly variable: string;
  /** As it is written in the environment; null = nothing was given, or it is a secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  readonly source: Source;
}

/** `secretSource` tells where a secret came from that was not given. */
export function shownSettings(
  config: Config,
  origins: readonly SettingOrigin[],
  secretSource: (name: SettingOrigin['name']) => Source,
): readonly ShownSetting[] {
  return origins.map((origin) => {
    const { variable, isSecret, text } = origin;
    if (!isSecret)
      return { variable, value: shown(config, origin), isSecret, source: origin.source };
    const source = text === null ? secretSource(origin.name) : origin.source;
    return { variable, value: null, isSecret, source };
  });
}

/** Values that follow from others are shown as what they come to. */
function shown(config: Config, { name, text }: SettingOrigin): string | null {
  if (text !== null && text !== '') return text;
  if (name === 'publicUrl') return `http://${config.host}:${config.port}`;
  if (name !== 'allowNetworks') return null;
  const { networks, hosts } = allowedNetworks(config);
  return [...networks, ...hosts].join(',') || null;
}
