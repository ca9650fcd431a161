/** The text of docs/frep.schema.json. */
export function makeSchema(model: { frepSchema: unknown; frepNotes: unknown }): string;
