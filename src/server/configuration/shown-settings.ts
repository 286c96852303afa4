/** Settings as they are shown: without secrets, and with derived values in effect. */
import { originOf } from '../../http/listening-port.js';
import { allowedNetworks, type Config, type SettingOrigin, type Source } from './config.js';

/** A setting of the process. */
export interface ShownSetting {
  /** The name of its environment variable. */
  readonly variable: string;
  /** As written in the environment; null if nothing was given, or it is a secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  readonly source: Source;
}

/** `secretSource` says where a secret came from that was not given in the environment. */
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

/** Shows settings that are derived from others by their effective value. */
function shown(config: Config, { name, text }: SettingOrigin): string | null {
  if (text !== null && text !== '') return text;
  if (name === 'publicUrl') return originOf(config.host, config.port);
  if (name !== 'allowNetworks') return null;
  const { networks, hosts } = allowedNetworks(config);
  return [...networks, ...hosts].join(',') || null;
}
