/**
 * The package's door for browsers, minified: an ES module, or with `name` a script that defines that one global. `source` is what
 * is bundled instead. Rejects where something imports sharp or a module of Node.
 */
export function bundleBrowser(options?: { source?: string; name?: string }): Promise<string>;
