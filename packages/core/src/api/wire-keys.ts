// The keys under which Arrow streams carry what is ours. Apart from the messages (wire.ts), so that whoever only writes rows,
// such as an engine process, loads nothing that checks messages.

/** Key of the message in a record batch's custom metadata. */
export const BATCH_METADATA_KEY = 'lake'
/** Key of the SQL type (DuckDB's spelling, such as `DECIMAL(18,2)`) in an Arrow field's custom metadata. */
export const FIELD_TYPE_KEY = 'lake.sql-type'
