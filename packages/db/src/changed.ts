/** What a change found, and what it left. */
export interface Changed<Row> {
  before: Row;
  after: Row;
}
