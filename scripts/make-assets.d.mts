/** Every file of assets/ that the script makes: name -> text, the same on any machine. */
export function makeAssets(): Record<string, string>;
