/** Light or dark: by the view, otherwise by the system. */

import { DARK, LIGHT, type Palette } from '../../palette.ts';
import type { ViewState } from '../../view-state.ts';

/** @param onChange the system has changed its mind */
export function followTheme(onChange: () => void) {
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  isDark.addEventListener('change', onChange);
  return {
    palette: (theme: ViewState['theme']): Palette =>
      theme === 'dark' || (theme === 'auto' && isDark.matches) ? DARK : LIGHT,
    dispose: () => isDark.removeEventListener('change', onChange),
  };
}
