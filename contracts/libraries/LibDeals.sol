// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealWord} from "../interfaces/DealTypes.sol";

/// @notice Storage of deals, layout of their words, and hash of their terms. All of it is frozen.
/// @dev The only code that reads or writes a word, so that a later release may store words otherwise.
library LibDeals {
    /// @dev ERC-7201 slot of "carat.deals".
    bytes32 internal constant SLOT = 0xece44addae61705c469b073121785197cfd2d081ee1e0e1d269d8832fc5f7800;

    uint256 internal constant NONE = 0;
    uint256 internal constant OPEN = 1;
    uint256 internal constant PAID = 2;
    uint256 internal constant CANCELLED = 3;

    /// @dev keccak256("Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)")
    bytes32 internal constant DEAL_TYPEHASH = 0x24fe386bd659eb0cab4397ec08d199680a1c952f1704d80941237cda4ad87e46;
    /// @dev keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
    bytes32 internal constant DOMAIN_TYPEHASH = 0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f;
    /// @dev keccak256("Carat")
    bytes32 internal constant NAME_HASH = 0x3bdf542906e3ef825677d3fd30388378f124232f6a6cdeb4a583a040219d5f79;
    /// @dev keccak256("1")
    bytes32 internal constant VERSION_HASH = 0xc89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc6;

    /// @custom:storage-location erc7201:carat.deals
    struct Storage {
        mapping(uint256 dealId => DealWord) words;
    }

    /// @notice The namespace's storage pointer.
    /// @return s Words by deal id, at the frozen slot.
    function store() internal pure returns (Storage storage s) {
        assembly {
            s.slot := SLOT
        }
    }

    /// @notice The word of a deal.
    /// @param dealId Any id.
    /// @return Zero for an unknown id.
    function read(uint256 dealId) internal view returns (DealWord) {
        return store().words[dealId];
    }

    /// @notice Replaces the word of a deal.
    /// @param dealId The id.
    /// @param word Its new word.
    function write(uint256 dealId, DealWord word) internal {
        store().words[dealId] = word;
    }

    /// @notice Status byte of a word.
    /// @param word The word of a deal, zero for an unknown id.
    /// @return One of the four status codes.
    function statusOf(DealWord word) internal pure returns (uint256) {
        return uint256(DealWord.unwrap(word)) & 0xff;
    }

    /// @notice The word's terms with another status.
    /// @param word The word of a deal, or its whole terms hash.
    /// @param status The status code to put into the lowest byte.
    /// @return The new word.
    function withStatus(DealWord word, uint256 status) internal pure returns (DealWord) {
        return DealWord.wrap(bytes32((uint256(DealWord.unwrap(word)) & ~uint256(0xff)) | status));
    }

    /// @notice True when the word was made from this terms hash.
    /// @param word The word of a deal.
    /// @param termsHash EIP-712 digest of terms.
    /// @return Whether the upper 248 bits are equal.
    function matches(DealWord word, bytes32 termsHash) internal pure returns (bool) {
        return uint256(DealWord.unwrap(word) ^ termsHash) < 0x100;
    }

    /// @notice EIP-712 digest of the terms in the domain {Carat, 1, this chain, this diamond}.
    /// @param deal The terms of a deal.
    /// @return The digest, which also names chain and diamond.
    function hash(Deal calldata deal) internal view returns (bytes32) {
        return digest(domainSeparator(), structHash(deal));
    }

    /// @notice The EIP-712 domain separator of this diamond on this chain.
    /// @return The hash of {Carat, 1, this chain, this diamond}.
    function domainSeparator() internal view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
    }

    /// @notice EIP-712 `hashStruct` of the terms, without a domain.
    /// @param deal The terms of a deal.
    /// @return The hash of type and fields.
    function structHash(Deal calldata deal) internal pure returns (bytes32) {
        return keccak256(abi.encode(DEAL_TYPEHASH, deal));
    }

    /// @notice EIP-712 digest of a struct in a domain.
    /// @param domain A domain separator.
    /// @param message The `hashStruct` of the struct.
    /// @return result The digest that wallets sign.
    function digest(bytes32 domain, bytes32 message) internal pure returns (bytes32 result) {
        assembly ("memory-safe") {
            let packed := mload(0x40)
            mstore(packed, shl(240, 0x1901))
            mstore(add(packed, 0x02), domain)
            mstore(add(packed, 0x22), message)
            result := keccak256(packed, 0x42)
        }
    }
}
