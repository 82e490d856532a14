// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What proofs use of forge's cheat codes.
interface Cheats {
    /// @notice Considers only what makes the condition true.
    function assume(bool condition) external;

    /// @notice Makes the next call come from `sender`.
    function prank(address sender) external;

    /// @notice Makes every call come from `sender` until `stopPrank`.
    function startPrank(address sender) external;

    /// @notice Ends `startPrank`.
    function stopPrank() external;

    /// @notice Sets a word of an account's storage.
    function store(address account, bytes32 slot, bytes32 value) external;

    /// @notice Reads a word of an account's storage.
    function load(address account, bytes32 slot) external view returns (bytes32);

    /// @notice Sets an account's native balance.
    function deal(address account, uint256 balance) external;

    /// @notice The creation code of a contract, by "file:contract".
    function getCode(string calldata artifact) external view returns (bytes memory);

    /// @notice Sets the code of an account.
    function etch(address account, bytes calldata code) external;

    /// @notice Sets the chain id.
    function chainId(uint256 id) external;

    /// @notice Sets the time of the block.
    function warp(uint256 timestamp) external;
}

/// @notice What proofs use of halmos' cheat codes.
interface SymbolicCheats {
    /// @notice Any call of any function of a contract, one path for each function, and any unknown selector besides.
    function createCalldata(string calldata contractName, bool includeViews) external returns (bytes memory);

    /// @notice Any word.
    function createUint256(string calldata name) external returns (uint256);

    /// @notice Any address.
    function createAddress(string calldata name) external returns (address);

    /// @notice Any bytes of this length.
    function createBytes(uint256 length, string calldata name) external returns (bytes memory);

    /// @notice A number that is the same for the same storage.
    function snapshotStorage(address account) external returns (uint256);
}
