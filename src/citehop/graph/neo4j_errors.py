"""The one table from the driver's and the server's errors to ours.

Messages are our own words and the foreign code's name: a server's text may quote data.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import neo4j.exceptions as foreign

from citehop.errors import ErrorCategory, StoreError, StoreTimeout, StoreUnavailable

_CAPABILITY = ErrorCategory.CAPABILITY


@dataclass(frozen=True, slots=True)
class Fault:
    """What we raise for a foreign error."""

    code: str
    message: str
    kind: type[StoreError] = StoreError
    category: ErrorCategory | None = None
    retryable: bool | None = None

    def error(self, where: str, cause: str = "") -> StoreError:
        """Return the error, saying where it happened."""
        return self.kind(
            f"{where}: {self.message}" + (f" ({cause})" if cause else ""),
            code=self.code,
            category=self.category,
            retryable=self.retryable,
        )


UNAVAILABLE = Fault(
    "STORE_UNAVAILABLE",
    "no Neo4j server answers, or the connection was lost; start it, or check address and port",
    StoreUnavailable,
)
STALLED = Fault(
    "STORE_STALLED",
    "the server accepts connections but does not answer; searches go on once it does",
    StoreUnavailable,
)
TIMEOUT = Fault(
    "STORE_TIMEOUT", "the query did not finish in time; ask for fewer hops, or give it longer",
    StoreTimeout,
)  # fmt: skip
CLOSED = Fault(
    "STORE_CLOSED", "the store or its driver is closed; open a new one", category=_CAPABILITY
)
NOT_NEO4J = Fault(
    "NOT_NEO4J",
    "what answers there is no Neo4j server, or a very old one; the Bolt port is 7687 as a rule",
    category=_CAPABILITY,
)  # fmt: skip
TOO_OLD = Fault(
    "SERVER_TOO_OLD", "the server is older than 5.26, the oldest supported; upgrade it",
    category=_CAPABILITY,
)  # fmt: skip
SCHEMA_MISSING = Fault(
    "SCHEMA_MISSING",
    "the database has no such label, relationship type or schema; load papers first (citehop"
    " load), or name your own with GraphSchema",
    category=_CAPABILITY,
)
READ_ONLY = Fault(
    "STORE_READ_ONLY", "the database may not be written to; open another, or allow writing",
    category=_CAPABILITY,
)  # fmt: skip
DUPLICATE_IDS = Fault(
    "DUPLICATE_IDS", "several nodes share an id, so that it cannot be made unique",
    category=ErrorCategory.INPUT,
)  # fmt: skip
SCHEMA_CONFLICT = Fault(
    "SCHEMA_CONFLICT",
    "an index stands where the schema needs a constraint; SHOW INDEXES names it, drop it",
    category=_CAPABILITY,
)
BUSY = Fault(
    "STORE_BUSY", "the store kept changing while it was read; try again",
    StoreUnavailable,
)  # fmt: skip
AUTH_FAILED = Fault(
    "AUTH_FAILED",
    "the server refused the user name or password; they are given as auth, in a file (auth_file,"
    " --auth-file), or in NEO4J_USERNAME and NEO4J_PASSWORD",
    category=_CAPABILITY,
)
PASSWORD_EXPIRED = Fault(
    "PASSWORD_EXPIRED",
    "the password must be changed first: ALTER CURRENT USER SET PASSWORD FROM … TO …",
    category=_CAPABILITY,
)
RATE_LIMITED = Fault(
    "AUTH_RATE_LIMITED", "too many wrong passwords; the server takes none for some seconds",
    category=ErrorCategory.UNAVAILABLE, retryable=True,
)  # fmt: skip
ACCESS_DENIED = Fault("ACCESS_DENIED", "this user may not do that", category=_CAPABILITY)
NO_DATABASE = Fault("DATABASE_NOT_FOUND", "there is no database of that name", category=_CAPABILITY)
DATABASE_DOWN = Fault(
    "DATABASE_UNAVAILABLE", "the server answers, but the database is not online", StoreUnavailable
)
MEMORY = Fault(
    "MEMORY_LIMIT", "the server's memory limit for transactions was reached",
    category=ErrorCategory.BUDGET, retryable=True,
)  # fmt: skip
CONFLICT = Fault(
    "STORE_CONFLICT", "the transaction met another one; run it again",
    category=ErrorCategory.UNAVAILABLE, retryable=True,
)  # fmt: skip
TERMINATED = Fault(
    "QUERY_TERMINATED", "somebody ended the query on the server",
    category=ErrorCategory.UNAVAILABLE, retryable=True,
)  # fmt: skip
MISCONFIGURED = Fault(
    "STORE_MISCONFIGURED",
    "the driver refuses its settings, the address, or the server's certificate (an address with"
    " +ssc takes one that nobody vouches for)",
    category=_CAPABILITY,
)  # fmt: skip
INTERNAL = Fault("STORE_ERROR", "the server or the driver failed; this should not happen")

_C, _T, _D = "Neo.ClientError.", "Neo.TransientError.", "Neo.DatabaseError."
CODES: dict[str, Fault] = {
    _C + "Security.Unauthorized": AUTH_FAILED,
    _C + "Security.TokenExpired": AUTH_FAILED,
    _C + "Security.AuthorizationExpired": AUTH_FAILED,
    _C + "Security.CredentialsExpired": PASSWORD_EXPIRED,
    _C + "Security.AuthenticationRateLimit": RATE_LIMITED,
    _C + "Security.Forbidden": ACCESS_DENIED,
    _C + "Database.DatabaseNotFound": NO_DATABASE,
    _C + "Schema.IndexAlreadyExists": SCHEMA_CONFLICT,
    _C + "Schema.IndexWithNameAlreadyExists": SCHEMA_CONFLICT,
    _C + "Statement.AccessMode": READ_ONLY,
    _C + "General.WriteOnReadOnlyAccessDatabase": READ_ONLY,
    _C + "General.ForbiddenOnReadOnlyDatabase": READ_ONLY,
    _C + "Cluster.NotALeader": UNAVAILABLE,
    _C + "Transaction.TransactionTimedOut": TIMEOUT,
    _C + "Transaction.TransactionTimedOutClientConfiguration": TIMEOUT,
    _C + "Transaction.Terminated": TERMINATED,
    _C + "Transaction.LockClientStopped": TERMINATED,
    _T + "Transaction.Terminated": TERMINATED,
    _T + "Transaction.LockClientStopped": TERMINATED,
    _T + "Transaction.DeadlockDetected": CONFLICT,
    _T + "Transaction.Outdated": CONFLICT,
    _T + "Transaction.LockAcquisitionTimeout": CONFLICT,
    _C + "Transaction.LockAcquisitionTimeout": CONFLICT,
    _T + "General.MemoryPoolOutOfMemoryError": MEMORY,
    _T + "General.TransactionOutOfMemoryError": MEMORY,
    _T + "General.OutOfMemoryError": MEMORY,
    _C + "General.TransactionOutOfMemoryError": MEMORY,
    _D + "General.OutOfMemoryError": MEMORY,
    _T + "General.TransactionMemoryLimit": MEMORY,
    _T + "General.DatabaseUnavailable": DATABASE_DOWN,
    _T + "Database.DatabaseUnavailable": DATABASE_DOWN,
    _D + "Database.DatabaseUnavailable": DATABASE_DOWN,
    _D + "Schema.ConstraintCreationFailed": DUPLICATE_IDS,
    _C + "Schema.ConstraintValidationFailed": DUPLICATE_IDS,
}
"""By the server's code; what is not here goes by its class."""

CLASSES: dict[type[Exception], Fault] = {
    foreign.AuthConfigurationError: MISCONFIGURED,
    foreign.AuthError: AUTH_FAILED,
    foreign.BrokenRecordError: INTERNAL,
    foreign.CertificateConfigurationError: MISCONFIGURED,
    foreign.ClientError: INTERNAL,
    foreign.ConfigurationError: MISCONFIGURED,
    foreign.ConnectionAcquisitionTimeoutError: STALLED,
    foreign.ConnectionPoolError: UNAVAILABLE,
    foreign.ConstraintError: DUPLICATE_IDS,
    foreign.CypherSyntaxError: INTERNAL,
    foreign.CypherTypeError: INTERNAL,
    foreign.DatabaseError: INTERNAL,
    foreign.DatabaseUnavailable: DATABASE_DOWN,
    foreign.DriverError: INTERNAL,
    foreign.Forbidden: ACCESS_DENIED,
    foreign.ForbiddenOnReadOnlyDatabase: READ_ONLY,
    foreign.GqlError: INTERNAL,
    foreign.IncompleteCommit: UNAVAILABLE,
    foreign.Neo4jError: INTERNAL,
    foreign.NotALeader: UNAVAILABLE,
    foreign.ReadServiceUnavailable: UNAVAILABLE,
    foreign.ResultConsumedError: INTERNAL,
    foreign.ResultError: INTERNAL,
    foreign.ResultFailedError: INTERNAL,
    foreign.ResultNotSingleError: INTERNAL,
    foreign.RoutingServiceUnavailable: UNAVAILABLE,
    foreign.ServiceUnavailable: UNAVAILABLE,
    foreign.SessionError: INTERNAL,
    foreign.SessionExpired: UNAVAILABLE,
    foreign.TokenExpired: AUTH_FAILED,
    foreign.TransactionError: INTERNAL,
    foreign.TransactionNestingError: INTERNAL,
    foreign.TransientError: CONFLICT,
    foreign.UnsupportedServerProduct: NOT_NEO4J,
    foreign.WriteServiceUnavailable: UNAVAILABLE,
}
"""By class, for errors without a known code; a test finds every class of the driver here."""


def fault_for(error: BaseException) -> Fault:
    """Return what we say for a foreign error."""
    if isinstance(error, foreign.Neo4jError) and error.code in CODES:
        return CODES[error.code]
    if isinstance(error, foreign.DriverError):
        text = str(error)
        if "closed" in text.lower() and type(error) is foreign.DriverError:
            return CLOSED
        if isinstance(error, foreign.ConfigurationError) and "otification" in text:
            # Servers before 5.7 cannot be told which notifications to send.
            return TOO_OLD
        if isinstance(error, foreign.ServiceUnavailable) and "HTTP" in text:
            return NOT_NEO4J
        if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _behind(error)):
            # Waiting does not help, though the driver calls it unavailable.
            return MISCONFIGURED
    for kind in type(error).__mro__:
        if kind in CLASSES:
            return CLASSES[kind]
    if type(error).__name__.startswith("Bolt"):
        # The driver's own errors about a handshake or protocol; not in its public tree.
        return NOT_NEO4J
    return UNAVAILABLE if isinstance(error, OSError) else INTERNAL


def _behind(error: BaseException) -> Iterator[BaseException]:
    """Yield what led to an error; with routing, the driver keeps that in a group."""
    inner = (error.__cause__ or error.__context__, *getattr(error, "exceptions", ()))
    for cause in inner:
        if cause is not None:
            yield cause
            yield from _behind(cause)


def is_foreign(error: BaseException) -> bool:
    """Return whether an error is the driver's, the network's, or already one of ours."""
    return isinstance(error, (StoreError, OSError)) or type(error).__module__.startswith("neo4j.")


def translated(error: BaseException, where: str) -> StoreError:
    """Return our error for a foreign one; ours pass unchanged."""
    if isinstance(error, StoreError):
        return error
    cause = getattr(error, "code", None) if isinstance(error, foreign.Neo4jError) else None
    return fault_for(error).error(where, cause or type(error).__name__)


def version_of(text: str) -> tuple[int, int]:
    """Return major and minor of a version's text; unknown text counts as the newest."""
    match = re.search(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (9999, 0)


FLOOR = (5, 26)


def check_version(text: str, where: str) -> None:
    """Raise SERVER_TOO_OLD for a version below the floor."""
    if version_of(text) < FLOOR:
        raise TOO_OLD.error(where, f"version {text[:40]}")
