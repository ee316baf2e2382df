-- The books of a chain, from what its terminals tell on the topic `books`. PostgreSQL 15.
CREATE SCHEMA books;

-- Filled by the chain: where each terminal stands, and in which zone its days begin.
CREATE TABLE books.shop (shop text PRIMARY KEY, zone text NOT NULL);
CREATE TABLE books.terminal (terminal text PRIMARY KEY, shop text NOT NULL REFERENCES books.shop);

-- How far each terminal's journal is here. `life`: a journal that was replaced goes on as another stream.
CREATE TABLE books.stream (
  terminal text NOT NULL,
  stream text NOT NULL,
  life bigint GENERATED ALWAYS AS IDENTITY,
  seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (terminal, stream)
);
-- Each message as it came: once, and again after books.tell_anew.
CREATE TABLE books.message (
  terminal text NOT NULL,
  stream text NOT NULL,
  seq bigint NOT NULL,
  ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  body jsonb NOT NULL
);
CREATE INDEX message_place ON books.message (terminal, stream, seq);
CREATE FUNCTION books.is_amount(text) RETURNS boolean LANGUAGE sql AS $$ SELECT $1 ~ '^[0-9]{1,15}(\.[0-9]{1,4})?$' $$;
-- Whether the views can read it. A terminal's certificate may be stolen: one wrong amount must not end every sum of the chain. So
-- whatever a view casts is looked at here, in a record of either kind: a condition keeps no cast from being tried first.
CREATE FUNCTION books.is_readable(kind text, record jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  result jsonb := record -> 'transactionResult';
  made text := result ->> 'createTime';
  one jsonb;
BEGIN
  IF kind NOT IN ('transaction', 'settlement') OR NOT books.is_amount(result ->> 'totalAmount')
    OR NOT books.is_amount(result ->> 'cashbackAmount') THEN RETURN false; END IF;
  -- Of a year that has a day in each zone, and the same whatever DateStyle a reader has. A clock in doubt may say 1970.
  IF made !~ '^(19[789]|[2-9][0-9][0-9])[0-9]-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:?[0-9]{2})$'
    OR length(made::timestamptz::text) = 0 THEN RETURN false; END IF;
  FOR one IN SELECT jsonb_array_elements(record -> 'settlements') LOOP
    IF (one ->> 'batch')::integer IS NULL OR jsonb_typeof(one -> 'totals') <> 'array' OR EXISTS (
      SELECT 1 FROM jsonb_array_elements(one -> 'totals') AS total WHERE NOT books.is_amount(total ->> 'totalAmount')
    ) THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
-- Transactions and settlements as they stand now. `ordinal`: who told an id first has the lowest.
CREATE TABLE books.entry (
  terminal text NOT NULL,
  id text NOT NULL,
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  life bigint NOT NULL,
  version bigint NOT NULL,
  at timestamptz CHECK (at BETWEEN '1970-01-01 00:00Z' AND '9999-12-31 00:00Z'),
  batch integer,
  record jsonb NOT NULL CHECK (books.is_readable(kind, record)),
  PRIMARY KEY (terminal, id)
);
CREATE INDEX entry_told ON books.entry (id, ordinal);

-- An id is one in the world. A journal that goes on under another name, because its terminal was replaced, tells all of it anew, and
-- who has a stolen certificate may tell what another has sold: the terminal that told an id first has it, until the chain says otherwise.
CREATE VIEW books.own_entry AS
SELECT * FROM books.entry AS own WHERE NOT EXISTS (
  SELECT 1 FROM books.entry AS first WHERE first.id = own.id AND first.ordinal < own.ordinal);

-- What more than one terminal has told. None is the aim: see books.succeeded_by. The first of `terminals` has it.
CREATE VIEW books.told_twice AS
SELECT id, array_agg(terminal ORDER BY ordinal) AS terminals FROM books.entry GROUP BY id HAVING count(*) > 1;

-- The chain says that the journal of `former` goes on as `now`: what `now` has told, too, is from here on of `now` alone. Returns how
-- many that are. It may be called again, once `now` has told more.
CREATE FUNCTION books.succeeded_by(former text, now text) RETURNS bigint LANGUAGE sql AS $$
  WITH gone AS (
    DELETE FROM books.entry AS e USING books.entry AS later
    WHERE e.terminal = former AND later.terminal = now AND later.id = e.id AND former <> now RETURNING 1
  ) SELECT count(*) FROM gone;
$$;

CREATE FUNCTION books.keep(own_terminal text, own_life bigint, m jsonb, own_id text, own_record jsonb, is_original boolean)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO books.entry AS old (terminal, id, kind, life, version, at, batch, record)
  VALUES (own_terminal, own_id, m ->> 'kind', own_life, (m ->> 'version')::bigint,
          CASE WHEN is_original THEN NULL ELSE (m ->> 'at')::timestamptz END,
          CASE WHEN is_original THEN NULL ELSE (m ->> 'batch')::integer END, own_record)
  ON CONFLICT (terminal, id) DO UPDATE SET
    kind = excluded.kind, life = excluded.life, version = excluded.version, record = excluded.record,
    at = CASE old.life WHEN 0 THEN excluded.at ELSE coalesce(excluded.at, old.at) END,
    batch = CASE old.life WHEN 0 THEN excluded.batch ELSE coalesce(excluded.batch, old.batch) END
  WHERE (old.life, old.version) <= (excluded.life, excluded.version);
$$;

-- Takes one message: exactly once, and only if nothing before it is missing. Tells what the terminal is to hear.
CREATE FUNCTION books.take(own_terminal text, m jsonb, OUT stream text, OUT seq bigint, OUT again boolean)
LANGUAGE plpgsql AS $$
DECLARE
  own_life bigint;
  later record;
  original jsonb;
BEGIN
  stream := m ->> 'stream';
  again := false;
  -- A journal's first name is the earliest, also where what went by a later one comes before it.
  INSERT INTO books.stream (terminal, stream)
    VALUES (own_terminal, split_part(m ->> 'stream', '.', 1)), (own_terminal, m ->> 'stream') ON CONFLICT DO NOTHING;
  SELECT s.seq, s.life INTO seq, own_life FROM books.stream s
    WHERE s.terminal = own_terminal AND s.stream = m ->> 'stream' FOR UPDATE;
  -- This journal goes on under a later name. A terminal that has forgotten it, because the broker has, hears it again.
  SELECT s.stream AS name, s.seq AS reached INTO later FROM books.stream s
    WHERE s.terminal = own_terminal AND s.life > own_life
      AND split_part(s.stream, '.', 1) = split_part(m ->> 'stream', '.', 1) AND s.stream LIKE '%.%'
    ORDER BY s.life DESC LIMIT 1;
  IF FOUND THEN
    stream := later.name;
    seq := later.reached;
    again := true;
    RETURN;
  END IF;
  IF (m ->> 'seq')::bigint <= seq THEN RETURN; END IF;
  IF (m ->> 'after')::bigint > seq THEN
    again := true;
    RETURN;
  END IF;
  seq := (m ->> 'seq')::bigint;
  INSERT INTO books.message (terminal, stream, seq, body) VALUES (own_terminal, m ->> 'stream', (m ->> 'seq')::bigint, m);
  PERFORM books.keep(own_terminal, own_life, m, m ->> 'id', m -> 'record', false);
  FOR original IN SELECT jsonb_array_elements(coalesce(m -> 'originals', '[]')) LOOP
    PERFORM books.keep(own_terminal, own_life, m, original ->> 'id', original -> 'record', true);
  END LOOP;
  UPDATE books.stream s SET seq = (m ->> 'seq')::bigint WHERE s.terminal = own_terminal AND s.stream = m ->> 'stream';
END $$;

-- Has a terminal tell everything again: its next message is answered with "again", from 0. Whatever it tells replaces what stands, which
-- counts as before until then, and what it does not tell is left in books.untold.
CREATE FUNCTION books.tell_anew(own_terminal text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM books.stream AS s WHERE s.terminal = own_terminal;
  UPDATE books.entry AS e SET life = 0 WHERE e.terminal = own_terminal;
$$;

-- What a terminal was to tell anew and has not: it comes still, or the terminal has lost it, or someone else has told it.
CREATE VIEW books.untold AS SELECT terminal, id, kind, at, batch, record FROM books.entry WHERE life = 0;

-- Takes messages in their order: {terminal, message}. One commit.
CREATE FUNCTION books.take_all(messages jsonb)
RETURNS TABLE (terminal text, stream text, seq bigint, again boolean) LANGUAGE plpgsql AS $$
DECLARE
  each jsonb;
BEGIN
  FOR each IN SELECT value FROM jsonb_array_elements(messages) WITH ORDINALITY ORDER BY ordinality LOOP
    terminal := each ->> 'terminal';
    SELECT taken.stream, taken.seq, taken.again INTO stream, seq, again
      FROM books.take(each ->> 'terminal', each -> 'message') AS taken;
    RETURN NEXT;
  END LOOP;
END $$;

-- What counts: sales, completions and refunds that stand. A tip that was adjusted is in its sale's amount, also once that is
-- refunded, in part or whole. `cash_back`: the notes of the drawer within the amount.
CREATE VIEW books.counted AS
SELECT entry.terminal, entry.id, shop.shop, result ->> 'acquirerId' AS acquirer, entry.batch, result ->> 'tranType' AS kind,
  result ->> 'paymentMethod' AS method, result ->> 'currency' AS currency,
  coalesce((
    SELECT (tip.record #>> '{transactionResult,totalAmount}')::numeric FROM books.entry AS tip
    WHERE tip.terminal = entry.terminal AND tip.kind = 'transaction' AND result ->> 'tranStatus' IN ('ADJUSTED', 'PARTIALLY_REFUNDED', 'REFUNDED')
      AND tip.record #>> '{transactionResult,originalTerminalTransactionId}' = entry.id
      AND tip.record #>> '{transactionResult,tranType}' = 'TIP_ADJUST'
      AND tip.record #>> '{transactionResult,tranStatus}' = 'APPROVED'
    ORDER BY tip.version DESC LIMIT 1
  ), (result ->> 'totalAmount')::numeric) * CASE result ->> 'tranType' WHEN 'REFUND' THEN -1 ELSE 1 END AS amount,
  coalesce((result ->> 'cashbackAmount')::numeric, 0) AS cash_back,
  ((result ->> 'createTime')::timestamptz AT TIME ZONE coalesce(shop.zone, 'UTC'))::date AS day
FROM (SELECT *, record -> 'transactionResult' AS result FROM books.own_entry WHERE kind = 'transaction') AS entry
LEFT JOIN books.terminal AS place ON place.terminal = entry.terminal
LEFT JOIN books.shop AS shop ON shop.shop = place.shop
WHERE result ->> 'tranType' IN ('SALE', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND')
  AND result ->> 'tranStatus' IN ('APPROVED', 'ADJUSTED', 'PARTIALLY_REFUNDED', 'REFUNDED');
CREATE INDEX entry_original ON books.entry (terminal, (record #>> '{transactionResult,originalTerminalTransactionId}'));

CREATE VIEW books.sales_by_shop_and_day AS
SELECT shop, day, currency, count(*) FILTER (WHERE kind <> 'REFUND') AS sales, count(*) FILTER (WHERE kind = 'REFUND') AS refunds,
  coalesce(sum(amount) FILTER (WHERE kind <> 'REFUND'), 0) AS sold,
  -coalesce(sum(amount) FILTER (WHERE kind = 'REFUND'), 0) AS refunded, sum(amount) AS net,
  sum(cash_back) AS cash_back
FROM books.counted GROUP BY shop, day, currency;

-- Settlements with their totals, a row for each batch that was asked for. `is_empty`: there was nothing in it, and what is taken later may
-- count in a batch of the same number.
CREATE VIEW books.settled_batch AS
SELECT terminal, id, at, one ->> 'acquirer' AS acquirer, (one ->> 'batch')::integer AS batch,
  one ->> 'result' AS result, one ->> 'message' AS message, one -> 'totals' AS totals,
  coalesce(one ->> 'empty' = 'true', false) AS is_empty
FROM books.own_entry, jsonb_array_elements(record -> 'settlements') AS one WHERE kind = 'settlement';

CREATE VIEW books.unsettled AS
SELECT * FROM books.counted WHERE NOT EXISTS (
  SELECT 1 FROM books.settled_batch AS settled WHERE settled.terminal = counted.terminal
    AND settled.acquirer = counted.acquirer AND settled.batch = counted.batch AND settled.result <> 'FAILED'
    AND NOT settled.is_empty);

-- What was told ERROR or DECLINED and is, or may be, at the host until a reversal is through.
CREATE VIEW books.waiting_reversal AS
SELECT terminal, id, at, record #>> '{transactionResult,acquirerId}' AS acquirer, record ->> 'financialImpact' AS impact,
  (record #>> '{transactionResult,totalAmount}')::numeric AS amount, record #>> '{transactionResult,currency}' AS currency
FROM books.own_entry WHERE kind = 'transaction' AND record ->> 'financialImpact' IN ('REVERSAL_PENDING', 'UNKNOWN');

-- Reconciliation: reconcile.mjs calls both functions. Each row is a difference, and none is the aim.

-- What is compared of a transaction, to the second. What it has not is absent.
CREATE FUNCTION books.compared(status text, amount text, currency text, type text, made text, method text, acquirer text, batch text,
  original text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('status', status, 'amount', trim_scale(amount::numeric)::text, 'currency', nullif(currency, ''),
    'type', nullif(type, ''), 'at', to_char(nullif(made, '')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'method', nullif(method, ''),
    'acquirer', nullif(acquirer, ''), 'batch', nullif(batch, '0'), 'original', nullif(original, '')))
$$;

CREATE FUNCTION books.present_batch(number integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('presentBatch', number))
$$;

-- The books against the terminals. `journals`: [{terminal, id, status, amount, currency, type, at, method, acquirer, batch, original,
-- presentBatch}], as `poid journal export` has them; `terminals`: whose journals these are, all if absent. What was accepted before `since`
-- is left out. Of a transaction all of this is compared; the batch in which it counts now where both say it.
CREATE FUNCTION books.differences(journals jsonb, terminals text[] DEFAULT NULL, since timestamptz DEFAULT '-infinity')
RETURNS TABLE (terminal text, id text, books jsonb, journal jsonb) LANGUAGE sql AS $$
  SELECT coalesce(here.terminal, there.terminal), coalesce(here.id, there.id), here.told || books.present_batch(here.batch),
    there.told || books.present_batch(there.batch)
  FROM (SELECT e.terminal, e.id, e.batch, books.compared(r ->> 'tranStatus', r ->> 'totalAmount', r ->> 'currency', r ->> 'tranType',
          r ->> 'createTime', r ->> 'paymentMethod', r ->> 'acquirerId', r ->> 'batch', r ->> 'originalTerminalTransactionId') AS told
        FROM books.entry AS e CROSS JOIN LATERAL (SELECT e.record -> 'transactionResult') AS result (r)
        WHERE e.kind = 'transaction' AND (terminals IS NULL OR e.terminal = ANY (terminals))
          AND coalesce((r ->> 'createTime')::timestamptz >= since, true)) AS here
  FULL JOIN (SELECT j ->> 'terminal' AS terminal, j ->> 'id' AS id, (j ->> 'presentBatch')::integer AS batch, books.compared(j ->> 'status',
          j ->> 'amount', j ->> 'currency', j ->> 'type', j ->> 'at', j ->> 'method', j ->> 'acquirer', j ->> 'batch', j ->> 'original') AS told
        FROM jsonb_array_elements(journals) AS j) AS there
    ON here.terminal = there.terminal AND here.id = there.id
  WHERE here.told IS DISTINCT FROM there.told OR here.batch <> there.batch
$$;

-- What is compared of a settlement: a row for each batch, kind and currency.
CREATE FUNCTION books.settled_row(acquirer text, mid text, tid text, batch text, result text, type text, currency text, count text, amount text)
RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object('acquirer', acquirer, 'mid', nullif(mid, ''), 'tid', nullif(tid, ''), 'batch', batch,
    'result', result, 'type', nullif(type, ''), 'currency', nullif(currency, ''), 'count', nullif(count, '0'),
    'amount', trim_scale(nullif(amount, '')::numeric)::text))
$$;

-- The books against the terminals' settlements. `settlements`: [{terminal, terminalTransactionId, acquirer, mid, tid, batch, result, type, currency,
-- count, amount}], as `poid journal settlements` has them; `terminals` and `since` as above, by the time of the request.
CREATE FUNCTION books.settlement_differences(settlements jsonb, terminals text[] DEFAULT NULL, since timestamptz DEFAULT '-infinity')
RETURNS TABLE (terminal text, id text, books jsonb, journal jsonb) LANGUAGE sql AS $$
  SELECT coalesce(here.terminal, there.terminal), coalesce(here.id, there.id), here.told, there.told
  FROM (SELECT e.terminal, e.id, jsonb_agg(line ORDER BY line) AS told
        FROM books.entry AS e CROSS JOIN LATERAL jsonb_array_elements(e.record -> 'settlements') AS one
          LEFT JOIN LATERAL jsonb_array_elements(one -> 'totals') AS total ON true
          CROSS JOIN LATERAL books.settled_row(one ->> 'acquirer', one ->> 'acquirerMid', one ->> 'acquirerTid', one ->> 'batch',
            one ->> 'result', total ->> 'transactionType', total ->> 'currency', total ->> 'count', total ->> 'totalAmount') AS line
        WHERE e.kind = 'settlement' AND (terminals IS NULL OR e.terminal = ANY (terminals)) AND coalesce(e.at >= since, true)
        GROUP BY e.terminal, e.id) AS here
  FULL JOIN (SELECT r ->> 'terminal' AS terminal, r ->> 'terminalTransactionId' AS id, jsonb_agg(line ORDER BY line) AS told
        FROM jsonb_array_elements(settlements) AS r CROSS JOIN LATERAL books.settled_row(r ->> 'acquirer', r ->> 'mid', r ->> 'tid', r ->> 'batch',
          r ->> 'result', r ->> 'type', r ->> 'currency', r ->> 'count', r ->> 'amount') AS line
        GROUP BY 1, 2) AS there
    ON here.terminal = there.terminal AND here.id = there.id
  WHERE here.told IS DISTINCT FROM there.told
$$;

-- Under which reference (rrn) an acquirer has what, and the transaction whose amount it is a part of: a wallet gives a
-- voided sale back under a reference of its own, as it does a payment whose outcome was not known; a tip has that of its sale.
CREATE VIEW books.reference AS
SELECT DISTINCT terminal, own.id, result ->> 'acquirerId' AS acquirer, result ->> 'acquirerTid' AS tid, own.reference
FROM (SELECT terminal, id, record -> 'transactionResult' AS result FROM books.own_entry WHERE kind = 'transaction') AS entry
CROSS JOIN LATERAL (VALUES
  (CASE WHEN result ->> 'tranType' ~ '^VOID|TIP_ADJUST' THEN result ->> 'originalTerminalTransactionId' ELSE entry.id END,
   CASE WHEN result ->> 'tranType' <> 'AUTH' THEN result ->> 'rrn' END),
  (entry.id, result ->> 'refundRrn')) AS own (id, reference)
WHERE own.reference <> '';

-- The books against one acquirer's statement. `lines`: [{tid, reference, currency, amount}], what stands in its books; amounts of
-- refunds are below zero. `settled`: whether the books have it in a settled batch; what is not may come with a later statement.
-- A line satisfies one sale: of several with its reference the one whose turn it is by the amount. A line of a transaction that was accepted
-- before `since`, as the void of yesterday's sale, is left out as well.
CREATE FUNCTION books.statement_differences(own_acquirer text, lines jsonb, since timestamptz DEFAULT '-infinity')
RETURNS TABLE (terminal text, id text, tid text, reference text, currency text, books numeric, statement numeric, settled boolean)
LANGUAGE sql AS $$
  WITH here AS (
    SELECT c.terminal, c.id, c.currency, c.amount, r.tid, r.reference, u.id IS NULL AS settled
    FROM books.counted AS c
    JOIN books.entry AS e ON e.terminal = c.terminal AND e.id = c.id
    LEFT JOIN books.reference AS r ON r.terminal = c.terminal AND r.id = c.id AND r.reference = e.record #>> '{transactionResult,rrn}'
    LEFT JOIN books.unsettled AS u ON u.terminal = c.terminal AND u.id = c.id
    WHERE c.acquirer = own_acquirer AND (e.record #>> '{transactionResult,createTime}')::timestamptz >= since
  ), line AS (
    SELECT l ->> 'tid' AS tid, l ->> 'reference' AS reference, l ->> 'currency' AS currency, (l ->> 'amount')::numeric AS amount,
      row_number() OVER (PARTITION BY l ->> 'tid', l ->> 'reference' ORDER BY (l ->> 'amount')::numeric) AS turn
    FROM jsonb_array_elements(lines) AS l
  ), candidate AS (
    SELECT r.terminal, r.id, r.tid, r.reference, count(here.id) OVER same AS counted,
      row_number() OVER (same ORDER BY here.id IS NULL, here.amount, r.id) AS turn,
      (e.record #>> '{transactionResult,createTime}')::timestamptz < since AS is_older
    FROM books.reference AS r LEFT JOIN here ON here.terminal = r.terminal AND here.id = r.id
    LEFT JOIN books.entry AS e ON e.terminal = r.terminal AND e.id = r.id
    WHERE r.acquirer = own_acquirer WINDOW same AS (PARTITION BY r.tid, r.reference)
  ), there AS (
    SELECT r.terminal, coalesce(r.id, l.tid || ' ' || l.reference) AS id, max(r.id) AS own_id, max(l.tid) AS tid, min(l.reference) AS reference,
      l.currency, sum(l.amount) AS amount
    FROM line AS l LEFT JOIN candidate AS r
      ON r.tid = l.tid AND r.reference = l.reference AND r.turn = (l.turn - 1) % greatest(r.counted, 1) + 1
    WHERE r.is_older IS NOT TRUE
    GROUP BY r.terminal, coalesce(r.id, l.tid || ' ' || l.reference), l.currency
  )
  SELECT coalesce(here.terminal, there.terminal), coalesce(here.id, there.own_id), coalesce(here.tid, there.tid), coalesce(here.reference, there.reference),
    coalesce(here.currency, there.currency), here.amount, there.amount, here.settled
  FROM here FULL JOIN there ON here.terminal = there.terminal AND here.id = there.id AND here.currency = there.currency
  WHERE coalesce(here.amount, 0) <> coalesce(there.amount, 0)
$$;

-- Count and sum of what stands at each acquirer.
CREATE VIEW books.at_acquirer AS
SELECT acquirer, currency, count(*) AS count, sum(amount) AS net, sum(cash_back) AS cash_back FROM books.counted GROUP BY acquirer, currency;
