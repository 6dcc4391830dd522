// Texts in statements that the page writes.
/** A text as SQL has it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
