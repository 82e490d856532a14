// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The address where the code of a facet must be, because no other code can ever be there.
/// @dev The hash of the code at an address now proves nothing about later: code whose creation code destroyed it is gone
///      at the end of the transaction (EIP-6780), and an account may delegate to another contract at any time
///      (EIP-7702). An address derived from the code itself has that code, or none.
library LibFacet {
    /// @dev The deterministic deployer, the same on every network. It deploys the code that it is sent, by CREATE2.
    address internal constant DEPLOYER = 0x4e59b44847b379578588920cA78FbF26c0B4956C;

    /// @notice Creation code that only returns the code behind it, because facets have no constructor.
    /// @dev PUSH2 length, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, RETURN.
    /// @param code Runtime code, at most 65,535 bytes.
    /// @return Creation code of that runtime code.
    function creationCode(bytes memory code) internal pure returns (bytes memory) {
        // casting to 'uint16' is safe because the code of a contract has at most 24,576 bytes (EIP-170)
        // forge-lint: disable-next-line(unsafe-typecast)
        return abi.encodePacked(hex"61", uint16(code.length), hex"80600a5f395ff3", code);
    }

    /// @notice The only address of a runtime code and a salt (EIP-1014).
    /// @param code Runtime code.
    /// @param salt Any 32 bytes; another salt gives the same code another address.
    /// @return The address.
    function addressOf(bytes memory code, bytes32 salt) internal pure returns (address) {
        return create2Address(DEPLOYER, salt, keccak256(creationCode(code)));
    }

    /// @notice The address of a contract made by CREATE2 (EIP-1014).
    /// @param creator The creating account.
    /// @param salt Any 32 bytes.
    /// @param creationCodeHash Hash of its creation code.
    /// @return The address.
    function create2Address(address creator, bytes32 salt, bytes32 creationCodeHash) internal pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", creator, salt, creationCodeHash)))));
    }
}
