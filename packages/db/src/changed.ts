/** A row before and after a change. */
export interface Changed<Row> {
  before: Row;
  after: Row;
}
