"""Requests that two HTTP readers could understand differently, or that no client should send: each with the answers it must get.

MARKER lies where a second request would begin for a reader that takes the body's end elsewhere. It has an answer of its own (404),
so that one answer too many is a smuggled request. Standard library only.
"""
import collections
import random

# After its answers: CLOSED, the connection ends; OPEN, it serves the next request; WAITING, the server wants more of this one.
CLOSED, OPEN, WAITING = "closed", "open", "waiting"

Row = collections.namedtuple("Row", "name sent answers end")

HOST = b"Host: x\r\n"
MARKER = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"
LIVE = b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n"
MEGABYTE = 1 << 20
# net/limits.h
BODY_BYTES_MAX = 3 << 20
HEADERS_MAX = 100


def post(headers, body, version=b"1.1"):
    return b"POST /livez HTTP/" + version + b"\r\n" + HOST + headers + b"\r\n\r\n" + body


def get(headers, behind=MARKER):
    return b"GET /livez HTTP/1.1\r\n" + HOST + headers + b"\r\n\r\n" + behind


def line(text, behind=MARKER):
    return text + b"\r\n" + HOST + b"\r\n" + behind


def content_lengths():
    def row(value, answers=(400,), end=CLOSED, body=b"hello"):
        return Row(f"Content-Length {value!r}", post(b"Content-Length: " + value, body + MARKER), answers, end)

    yield from (row(v) for v in (b"+5", b"-5", b"-0", b"5 5", b"5, 5", b"5,6", b"5;", b"5.0", b"1e1", b"0x5", b"", b"five",
                                 b"\x0b5", b"5\x0c",
                                 b"5\x00", b"5\xa0", b"\xd9\xa5", b"'5'", b"18446744073709551616", b"18446744073709551621",
                                 b"9" * 400))
    # Numbers there is no doubt about: the marker is the next request, or part of the body.
    yield from (row(v, (200, 404), OPEN) for v in (b"5", b"5 ", b"\t5", b"0005", b"0" * 30 + b"5"))
    yield row(b"0", (200, 404), OPEN, b"")
    yield row(b"%d" % len(MARKER), (200,), OPEN, b"")
    yield row(b"%d" % (len(MARKER) + 9), (), WAITING, b"")
    yield from (row(v, (413,)) for v in (b"18446744073709551615", b"4294967301", b"%d" % (BODY_BYTES_MAX + 1)))
    for name, headers in (("twice, equal", b"Content-Length: 5\r\nContent-Length: 5"),
                          ("twice, unequal", b"Content-Length: 5\r\ncontent-length: 0"),
                          ("blank before the colon", b"Content-Length : 5"), ("tab before the colon", b"Content-Length\t: 5"),
                          ("folded", b"Content-Length: 0\r\n 5"), ("folded before it", b"X: y\r\n Content-Length: 5"),
                          ("behind a bare LF", b"X: y\nContent-Length: 5"), ("behind a bare CR", b"X: y\rContent-Length: 5"),
                          ("behind a NUL", b"X: y\x00Content-Length: 5"), ("NUL in the name", b"Content\x00-Length: 5"),
                          ("no-break space in the name", b"Content-Length\xa0: 5")):
        yield Row("Content-Length " + name, post(headers, b"hello" + MARKER), (400,), CLOSED)
    # Another header: there is no body, and "hello" is no request.
    yield from (Row(f"not Content-Length: {h}", post(h + b": 7", b"hello\r\n" + MARKER), (200, 400), CLOSED)
                for h in (b"Content_Length", b"ContentLength", b"X-Content-Length"))


def transfer_encodings():
    def row(value, answers, end):
        return Row(f"Transfer-Encoding {value!r}", post(b"Transfer-Encoding: " + value, b"0\r\n\r\n" + MARKER), answers, end)

    yield from (row(v, (200, 404), OPEN) for v in (b"chunked", b"Chunked", b"CHUNKED", b"\tchunked", b"chunked \t"))
    yield from (row(v, (501,), CLOSED) for v in (b"xchunked", b"chunked, identity", b"identity, chunked", b"identity",
                                                 b"chunked, chunked", b"chunked;q=1",
                                                 b"'chunked'", b'"chunked"', b"gzip, chunked", b"chunked,", b", chunked", b"",
                                                 b"chunk", b"chunked\xa0",
                                                 b"\xc2\xa0chunked", b"cow"))
    yield from (row(v, (400,), CLOSED) for v in (b"\x0bchunked", b"chunked\x0c", b"chunked\x00", b"chu\rnked", b"chunked\r"))
    both = (b"Content-Length: 6", b"Transfer-Encoding: chunked")
    for name, headers, answer in (
            ("after Content-Length", both[0] + b"\r\n" + both[1], 400), ("before Content-Length", both[1] + b"\r\n" + both[0], 400),
            ("beside Content-Length 0", both[1] + b"\r\nContent-Length: 0", 400), ("twice", both[1] + b"\r\n" + both[1], 400),
            ("twice, one of them unknown", both[1] + b"\r\nTransfer-Encoding: cow", 400),
            ("twice, unknown first", b"Transfer-Encoding: x\r\n" + both[1], 501),
            ("blank before the colon", b"Transfer-Encoding : chunked", 400),
            ("tab before the colon", b"Transfer-Encoding\t: chunked", 400),
            ("vertical tab before the colon", b"Transfer-Encoding\x0b: chunked", 400),
            ("blank before the name", b" Transfer-Encoding: chunked", 400),
            ("folded into its value", b"Transfer-Encoding:\r\n chunked", 501),
            ("folded behind its value", b"Transfer-Encoding: chunked\r\n , identity", 400),
            ("folded out of sight", b"X: y\r\n\tTransfer-Encoding: chunked", 400),
            ("behind a bare LF", b"Content-Length: 6\nTransfer-Encoding: chunked", 400),
            ("behind a bare CR", b"X: y\rTransfer-Encoding: chunked", 400),
            ("behind CR CR LF", b"X: y\r\r\nTransfer-Encoding: chunked", 400),
            ("NUL in the name", b"Transfer-Encoding\x00: chunked", 400), ("no colon", b"Transfer-Encoding chunked", 400)):
        yield Row("Transfer-Encoding " + name, post(headers, b"0\r\n\r\n" + MARKER), (answer,), CLOSED)
    yield Row("Transfer-Encoding in HTTP/1.0", post(both[1], b"0\r\n\r\n" + MARKER, b"1.0"), (400,), CLOSED)
    yield Row("not Transfer-Encoding", post(b"Transfer_Encoding: chunked", b"0\r\n\r\n" + MARKER), (200, 400), CLOSED)
    yield Row("named as hop by hop", post(b"Connection: Transfer-Encoding\r\n" + both[1], b"0\r\n\r\n" + MARKER), (200, 404), OPEN)


def chunks():
    def row(name, body, answers=(400,), end=CLOSED):
        return Row("chunks: " + name, post(b"Transfer-Encoding: chunked", body), answers, end)

    for size in (b"-5", b"+5", b"0x5", b" 5", b"5 ", b"5\t", b"", b"g", b"5h", b";a", b"FFFFFFFFFFFFFFFF5", b"10000000000000005",
                 b"00000000005", b"5\x00", b"5\x0b", b"5\r"):
        yield row(f"size {size!r}", size + b"\r\nhello\r\n0\r\n\r\n" + MARKER)
    yield from (row(f"size {s!r}", s + b"\r\nhello\r\n0\r\n\r\n" + MARKER, (413,)) for s in (b"FFFFFFFF", b"FFFFFFFFFF", b"300001"))
    for name, body in (("size ends with LF", b"5\nhello\r\n0\r\n\r\n"), ("data end with LF", b"5\r\nhello\n0\r\n\r\n"),
                       ("data end with CR", b"5\r\nhello\r0\r\n\r\n"),
                       ("no end of the data", b"5\r\nhello0\r\n\r\n"), ("data longer than said", b"4\r\nhello\r\n0\r\n\r\n"),
                       ("extension ends with LF", b"5;a\nhello\r\n0\r\n\r\n"),
                       ("extension holds CR", b"5;a\rb\r\nhello\r\n0\r\n\r\n"),
                       ("extension holds LF", b"5;a\nb\r\nhello\r\n0\r\n\r\n"),
                       ("extension holds NUL", b"5;a\x00\r\nhello\r\n0\r\n\r\n"), ("last line ends with LF", b"0\n\r\n"),
                       ("empty trailer with LF", b"0\r\n\n"),
                       ("trailer ends with LF", b"0\r\nX: y\n\r\n"), ("trailer holds CR", b"0\r\nX: y\rz\r\n\r\n"),
                       ("trailer holds NUL", b"0\r\nX: \x00\r\n\r\n"), ("trailer begins with NUL", b"0\r\n\x00: y\r\n\r\n"),
                       ("the end with a bare CR", b"0\r\n\rX")):
        yield row(name, body + MARKER)
    for name, body in (("data", b"5\r\nhello\r\n0\r\n\r\n"), ("zeros", b"0005\r\nhello\r\n000\r\n\r\n"),
                       ("capitals", b"A\r\nhellohello\r\n0\r\n\r\n"),
                       ("extension", b'5;a="\\"b;c\r\nhello\r\n0;d\r\n\r\n'),
                       ("extension of 1 MB", b"5;" + b"a" * MEGABYTE + b"\r\nhello\r\n0\r\n\r\n"),
                       ("trailers that frame", b"0\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\nHost: y\r\n\r\n"),
                       ("a marker as data", b"%x\r\n" % len(MARKER) + MARKER + b"\r\n0\r\n\r\n")):
        yield row(name, body + MARKER, (200, 404), OPEN)
    yield row("a marker as trailer", b"0\r\n" + MARKER, (200,), OPEN)
    yield row("extension over the limit", b"5;" + b"a" * (BODY_BYTES_MAX + 1) + b"\r\nhello\r\n0\r\n\r\n" + MARKER, (413,))
    yield row("trailers over the limit", b"0\r\n" + b"X: y\r\n" * (BODY_BYTES_MAX // 6 + 1) + b"\r\n" + MARKER, (413,))
    yield row("of one byte over the limit", b"1\r\na\r\n" * (BODY_BYTES_MAX // 5 + 9) + b"0\r\n\r\n" + MARKER, (413,))
    yield row("no last one", b"5\r\nhello\r\n", (), WAITING)
    yield row("no end of the trailers", b"0\r\nX: y\r\n", (), WAITING)


def lines():
    good = b"GET /livez HTTP/1.1"
    for name, sent in (
            ("bare LFs", LIVE.replace(b"\r\n", b"\n")), ("request line ends with LF", good + b"\n" + HOST + b"\r\n"),
            ("a header ends with LF", good + b"\r\nHost: x\n\r\n"),
            ("head ends with LF", good + b"\r\n" + HOST + b"\n"), ("bare CRs", LIVE.replace(b"\r\n", b"\r") + b"\n"),
            ("CR CR LF", line(good + b"\r", b"")),
            ("two blank lines", b"\r\n\r\n" + LIVE), ("a bare LF before it", b"\n" + LIVE), ("a blank before it", b" " + LIVE),
            ("a NUL before it", b"\x00" + LIVE),
            ("HTTP/0.9", b"GET /livez\r\n"), ("no version", line(b"GET /livez ", b"")),
            ("tabs", line(good.replace(b" ", b"\t"), b"")),
            ("two blanks", line(b"GET  /livez HTTP/1.1", b"")), ("a blank at the end", line(good + b" ", b"")),
            ("two versions", line(good + b" HTTP/1.1", b"")),
            ("more words", line(b"GET /livez /x HTTP/1.1", b"")), ("version in lower case", line(b"GET /livez http/1.1", b"")),
            ("version with a tail", line(good + b"1", b"")), ("version without a dot", line(b"GET /livez HTTP/11", b"")),
            ("version with a zero", line(b"GET /livez HTTP/01.1", b"")),
            ("no token", line(b"G(ET /livez HTTP/1.1", b"")), ("NUL in the method", line(b"GET\x00 /livez HTTP/1.1", b"")),
            ("8 bits in the method", line(b"G\xc9T /livez HTTP/1.1", b"")),
            ("NUL in the target", line(b"GET /li\x00vez HTTP/1.1", b"")),
            ("DEL in the target", line(b"GET /li\x7fvez HTTP/1.1", b"")), ("CR in the target", line(b"GET /li\rvez HTTP/1.1", b"")),
            ("fragment", line(b"GET /livez#a HTTP/1.1", b"")), ("no slash", line(b"GET livez HTTP/1.1", b"")),
            ("authority form", line(b"GET x:80 HTTP/1.1", b"")),
            ("asterisk", line(b"GET * HTTP/1.1", b"")), ("another scheme", line(b"GET ftp://x/livez HTTP/1.1", b"")),
            ("Host missing", good + b"\r\n\r\n"), ("Host twice", good + b"\r\n" + HOST + b"Host: y\r\n\r\n"),
            ("Host twice, equal", good + b"\r\n" + HOST + HOST + b"\r\n"),
            ("Host with a blank", good + b"\r\nHost: x y\r\n\r\n"), ("Host with a path", good + b"\r\nHost: x/y\r\n\r\n"),
            ("Host with a user", good + b"\r\nHost: a@x\r\n\r\n"),
            ("Host of 8 bits", good + b"\r\nHost: \xe4\r\n\r\n"), ("Host folded", good + b"\r\nHost: x\r\n y\r\n\r\n"),
            ("NUL in a name", get(b"X\x00: y", b"")), ("NUL in a value", get(b"X: \x00", b"")),
            ("DEL in a value", get(b"X: \x7f", b"")), ("8 bits in a name", get(b"\xc4: y", b"")),
            ("a blank in a name", get(b"X Y: z", b"")), ("no name", get(b": y", b"")), ("no colon", get(b"X", b"")),
            ("a bracket in a name", get(b"X(: y", b"")),
            ("first header folded", good + b"\r\n " + HOST + HOST + b"\r\n"), ("a line of blanks", get(b"X: y\r\n ", b"")),
            ("TLS", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\x0a" * 32 + b"\x00\x00\x02\x13\x01\r\n\r\n"),
            ("SSH", b"SSH-2.0-OpenSSH_9.2p1\r\n"), ("SMTP", b"EHLO x\r\n"),
            ("Redis", b"*1\r\n$4\r\nPING\r\n"), ("a proxy's own line", b"PROXY TCP4 192.0.2.1 192.0.2.2 5 6\r\n" + LIVE)):
        yield Row("line: " + name, sent + MARKER, (400,), CLOSED)
    for version in (b"HTTP/0.9", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/3.0"):
        yield Row(f"line: {version!r}", line(b"GET /livez " + version), (505,), CLOSED)
    yield Row("line: HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00" + MARKER, (505,),
              CLOSED)
    yield Row("line: CONNECT", line(b"CONNECT x:80 HTTP/1.1"), (501,), CLOSED)
    for name, sent in (("one blank line", b"\r\n" + LIVE), ("absolute form", line(b"GET http://y/livez HTTP/1.1", b"")),
                       ("absolute form, https", line(b"GET HTTPS://y:1/livez HTTP/1.1", b"")),
                       ("Host empty", good + b"\r\nHost:\r\n\r\n"), ("8 bits in a value", get(b"X: \xff\xfe", b"")),
                       ("a value of blanks", get(b"X: \t ", b"")),
                       ("unknown method", line(b"BREW /livez HTTP/1.1", b"")),
                       ("lower-case method", line(b"get /livez HTTP/1.1", b""))):
        yield Row("line: " + name, sent + MARKER, (200, 404), OPEN)
    for target in (b"/../livez", b"/%2e%2e/livez", b"//livez", b"/livez%00", b"/%", b"/%zz", b"/\xff", b"/livez;a", b"/livez\\x"):
        yield Row(f"target {target!r}", line(b"GET " + target + b" HTTP/1.1", LIVE), (404, 200), OPEN)
    yield Row("OPTIONS *", line(b"OPTIONS * HTTP/1.1", LIVE), (404, 200), OPEN)


def sizes():
    for name, sent, answer in (
            ("method of 1 MB", line(b"G" * MEGABYTE + b" /livez HTTP/1.1"), 414),
            ("target of 1 MB", line(b"GET /" + b"a" * MEGABYTE + b" HTTP/1.1"), 414),
            ("1 MB without a line", b"a" * MEGABYTE, 414), ("value of 1 MB", get(b"X: " + b"y" * MEGABYTE), 431),
            ("name of 1 MB", get(b"X" * MEGABYTE + b": y"), 431),
            ("1 MB of headers", get(b"\r\n".join([b"X: " + b"y" * 20000] * 52)), 431),
            ("10,000 headers", get(b"\r\n".join([b"X: y"] * 10000)), 431),
            ("a header too many", get(b"\r\n".join([b"X: y"] * HEADERS_MAX)), 431)):
        yield Row(name, sent, (answer,), CLOSED)
    for name, sent in (("target of 60 KB", line(b"GET /livez?a=" + b"a" * 60000 + b" HTTP/1.1", b"")),
                       ("value of 100 KB", get(b"X: " + b"y" * 100000, b"")),
                       ("as many headers as may be", get(b"\r\n".join([b"X: y"] * (HEADERS_MAX - 1)), b"")),
                       ("body of 3 MB", post(b"Content-Length: %d" % BODY_BYTES_MAX, b"a" * BODY_BYTES_MAX))):
        yield Row(name, sent + MARKER, (200, 404), OPEN)


def bodies_and_connections():
    chunked = b"Transfer-Encoding: chunked"
    yield Row("GET with a body", get(b"Content-Length: %d" % len(MARKER)), (400,), CLOSED)
    yield Row("GET with chunks", get(chunked, b"0\r\n\r\n" + MARKER), (400,), CLOSED)
    yield Row("GET with an empty body", get(b"Content-Length: 0"), (200, 404), OPEN)
    yield Row("DELETE with a body", post(b"Content-Length: 5", b"hello" + MARKER).replace(b"POST", b"DELETE"), (200, 404), OPEN)
    for value in (b"200-ok", b"100-continue, x", b"", b"100", b"100-continue;a"):
        yield Row(f"Expect {value!r}", post(b"Content-Length: 5\r\nExpect: " + value, b"hello" + MARKER), (417,), CLOSED)
    yield Row("Expect and its body", post(b"Content-Length: 5\r\nExpect: 100-Continue", b"hello" + MARKER), (200, 404), OPEN)
    yield Row("Expect without a body", get(b"Expect: 100-continue"), (200, 404), OPEN)
    yield Row("Expect and too much", post(b"Expect: 100-continue\r\nContent-Length: 99999999", MARKER), (413,), CLOSED)
    yield Row("Expect in HTTP/1.0", post(b"Expect: 100-continue\r\nContent-Length: 5", b"hello" + MARKER, b"1.0"), (200,), CLOSED)
    for value in (b"close", b"Close", b"keep-alive, close", b"close, x", b",close", b"x\r\nConnection: CLOSE"):
        yield Row(f"Connection {value!r}", get(b"Connection: " + value), (200,), CLOSED)
    for value in (b"keep-alive", b"closed", b"x", b"Host, Content-Length", b""):
        yield Row(f"Connection {value!r}", get(b"Connection: " + value), (200, 404), OPEN)
    yield Row("Proxy-Connection", get(b"Proxy-Connection: close\r\nKeep-Alive: timeout=0"), (200, 404), OPEN)
    yield Row("HTTP/1.0", b"GET /livez HTTP/1.0\r\n\r\n" + MARKER, (200,), CLOSED)
    yield Row("HTTP/1.0 kept alive", b"GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" + MARKER, (200, 404), OPEN)
    # Nothing is switched to: what follows is HTTP/1, or no request.
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"
    yield Row("upgrade to HTTP/2, not used", get(upgrade, LIVE), (200, 200), OPEN)
    yield Row("upgrade to HTTP/2, used", get(upgrade, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + MARKER), (200, 505), CLOSED)
    yield Row("upgrade to frames",
              get(b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA",
                  b"\x81\x85\x00\r\n" + MARKER),
              (200, 400), CLOSED)
    yield Row("1,000 pipelined", LIVE * 1000, (200,) * 1000, OPEN)
    yield Row("500 pipelined, one bad, 500 more", LIVE * 500 + b"BAD\r\n\r\n" + MARKER * 500, (200,) * 500 + (400,), CLOSED)
    yield Row("pipelined behind Connection: close", LIVE * 9 + get(b"Connection: close") + MARKER * 9, (200,) * 10, CLOSED)


def rows():
    return [*content_lengths(), *transfer_encodings(), *chunks(), *lines(), *sizes(), *bodies_and_connections()]


def random_request(seed):
    """Noise, or rows cut, joined and changed at random; the same bytes for the same seed."""
    dice = random.Random(seed)
    if dice.random() < 0.2:
        return dice.randbytes(dice.choice((1, 30, 2000, 100000)))
    short = [row.sent for row in SHORT]
    sent = bytearray(b"".join(dice.choice(short) for _ in range(dice.randint(1, 4))))
    for _ in range(dice.randint(0, 8)):
        at = dice.randrange(len(sent))
        sent[at:at + dice.choice((0, 1, 1, 9))] = dice.choice((b"", b"\r", b"\n", b"\r\n", b"\x00", b" ", b":", b"0", b"\xff",
                                                               dice.randbytes(3)))
        if not sent:
            break
    return bytes(sent)


SHORT = [row for row in rows() if len(row.sent) < 2000]
