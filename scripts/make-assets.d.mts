/** Every file of assets/: name -> text, the same on any machine. */
export function makeAssets(): Record<string, string>;
