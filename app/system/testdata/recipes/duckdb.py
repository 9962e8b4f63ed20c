# A stand-in for Python's package duckdb, which comes from no registry that the tests reach: the same engine, of npm's
# @duckdb/node-bindings in the folder of the run.
import ctypes
import glob

engine = ctypes.CDLL(glob.glob("node_modules/@duckdb/node-bindings-*/libduckdb.*")[0])
engine.duckdb_row_count.restype = engine.duckdb_column_count.restype = ctypes.c_uint64
engine.duckdb_value_varchar.restype = ctypes.c_void_p
engine.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
engine.duckdb_result_error.restype = ctypes.c_char_p
engine.duckdb_free.argtypes = [ctypes.c_void_p]


class Error(Exception):
    pass


class connect:
    def __init__(self, path):
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        if engine.duckdb_open(path.encode(), ctypes.byref(self.database)):
            raise Error("cannot open " + path)
        engine.duckdb_connect(self.database, ctypes.byref(self.connection))

    def execute(self, statement, values=()):
        for value in values or ():
            statement = statement.replace("?", "'" + value.replace("'", "''") + "'", 1)
        result = (ctypes.c_char * 64)()
        failed = engine.duckdb_query(self.connection, statement.encode(), ctypes.byref(result))
        error = engine.duckdb_result_error(ctypes.byref(result)) if failed else b""
        self.rows = [] if failed else [tuple(self.value(result, column, row)
                     for column in range(engine.duckdb_column_count(ctypes.byref(result))))
                     for row in range(engine.duckdb_row_count(ctypes.byref(result)))]
        engine.duckdb_destroy_result(ctypes.byref(result))
        if failed:
            raise Error(error.decode())
        return self

    def value(self, result, column, row):
        text = engine.duckdb_value_varchar(ctypes.byref(result), column, row)
        try:
            return text and ctypes.string_at(text).decode()
        finally:
            engine.duckdb_free(text)

    def fetchall(self):
        return self.rows

    def close(self):
        engine.duckdb_disconnect(ctypes.byref(self.connection))
        engine.duckdb_close(ctypes.byref(self.database))
